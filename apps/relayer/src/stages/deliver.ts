import { ChainError, type Signer, type Submission } from '@causeway/chain';
import type { DelayReason } from '@causeway/protocol';
import type { Fence, Operation, OperationDelay, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { BaseError } from 'viem';
import type { Configuration } from '../configuration.js';
import { eachChain, type BridgeChain, type BridgeChains } from '../bridge-chain.js';
import { Attesters, type Consent } from '../exchange/attesters.js';
import { CHAINS, CLOCK, CONFIGURATION, LOGGER, SIGNER, STORE, type Clock } from '../infrastructure.js';
import { forEachParallel, forEachSequential } from '../pipeline/for-each.js';
import { areDeliveriesHalted, haltedChains } from '../pipeline/halted-chains.js';
import { isOriginFinal, isReadToHead, readFinalBlock } from '../pipeline/origin.js';
import type { Stage } from '../pipeline/scheduler.js';
import { delayAfterAttempt, getRejectionDelay, ENDED_BY_A_READ, type Delay } from '../wallet/delivery-delay.js';
import { Lanes, type RelayerLaneView } from '../wallet/lanes.js';
import { judgeDelivery } from '../watch/judge-delivery.js';
import { SolvencyReader } from '../watch/solvency-reader.js';
import { readFunds } from './delivery-funds.js';
import type { PayableIntent } from './encode-delivery.js';
import { readSignatureState } from './intent-signature.js';
import { planDeliveries } from './plan-deliveries.js';
import { prepareGroup, type ReadyDelivery } from './prepare-delivery.js';

/** Maximum operations of one chain per run. */
const MAX_OPERATIONS = 100;
/** Pause between two looks whether what deliveries on a chain wait for is over. A look costs a few reads. */
const LOOK_MS = 2_000;

/** The result of a run for the due operations of a chain. */
interface Delivered {
  readonly delays: readonly OperationDelay[];
  readonly hasSent: boolean;
}

/**
 * Stages 5 and 6. Delivers due operations: looks at their origins and at the funds, decides what can be paid now and in
 * which batches, simulates it, and hands the calls to the wallet lane. `FollowCalls` and the settle stage take it from
 * there.
 */
@Injectable()
export class DeliverStage implements Stage {
  readonly name = 'deliver';
  /** When to look again at the causes of delays, by chain, in epoch milliseconds. */
  private readonly nextLookAt = new Map<number, number>();

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(SIGNER) private readonly signer: Signer,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(Lanes) private readonly lanes: Lanes,
    @Inject(SolvencyReader) private readonly solvency: Pick<SolvencyReader, 'reasonsAgainst'>,
    @Inject(Attesters) private readonly attesters: Pick<Attesters, 'consentOn' | 'show' | 'onVerdicts'>,
  ) {}

  onWake(wake: () => void): void {
    this.attesters.onVerdicts(() => {
      // Operations that wait for the attesters may be payable now.
      this.nextLookAt.clear();
      wake();
    });
  }

  async run(fence: Fence): Promise<boolean> {
    let hasWritten = false;
    await forEachParallel(eachChain(this.chains), async (chain) => {
      const due = await this.withoutPaid(chain, await this.findDue(chain));
      if (due.length === 0) return;
      const [isHalted, touchesHalted] = await Promise.all([areDeliveriesHalted(this.store), haltedChains(this.store)]);
      const running = isHalted ? [] : due.filter((operation) => !touchesHalted(operation));
      if (running.length === 0) return;
      const look = this.lanes.of(chain).look(this.lanes.journal(fence, chain));
      // Its failure is thrown where it is needed.
      look.catch(() => undefined);
      if (!(await isReadToHead(this.store, chain))) return;
      const { delays, hasSent } = await this.deliver(fence, chain, running, look);
      // An operation that the contract has paid before is neither sent nor delayed: the next run is not urgent.
      if (hasSent || delays.length > 0) hasWritten = true;
      // A cause may be over, and a run has only some of what waits for it.
      if (hasSent) this.nextLookAt.delete(chain.chainId);
      await this.store.operations.delayAll(fence, delays);
      for (const { operationId, reason } of delays) this.logger.warn({ operationId, reason }, 'delivery delayed');
    });
    return hasWritten;
  }

  /** Finds due operations, and now and then those that wait for a cause: its end is seen when they can be paid. */
  private async findDue(chain: BridgeChain): Promise<Operation[]> {
    const { chainId } = chain;
    const finalBlock = await readFinalBlock(this.store, chain);
    if (finalBlock === null) return [];
    const nowMs = this.clock.now();
    const isLook = nowMs >= (this.nextLookAt.get(chainId) ?? 0);
    if (isLook) this.nextLookAt.set(chainId, nowMs + LOOK_MS);
    const causes = isLook ? ENDED_BY_A_READ : [];
    return this.store.operations.findDue(chainId, finalBlock, new Date(nowMs), MAX_OPERATIONS, causes);
  }

  /**
   * Leaves out what was paid with its own terms before its number was opened again, whatever the contract says now.
   * Settle completes it.
   */
  private async withoutPaid({ chainId, side }: BridgeChain, due: readonly Operation[]): Promise<Operation[]> {
    const ids = due.map(({ id }) => id);
    const deliveries = await this.store.verdicts.deliveriesFor(chainId, ids);
    const paid = deliveries.filter(
      (entry) => judgeDelivery(entry, this.configuration.addressBook, side).kind === 'matched',
    );
    const paidIds = new Set(paid.map(({ delivery }) => delivery.operationId));
    return due.filter(({ id }) => !paidIds.has(id));
  }

  /** Sends what can be paid, and decides about the rest. */
  private async deliver(
    fence: Fence,
    chain: BridgeChain,
    due: readonly Operation[],
    look: Promise<RelayerLaneView>,
  ): Promise<Delivered> {
    // Checked again right before money moves: the scan may lag behind a reorg.
    const obstacles = await Promise.all(due.map((operation) => this.findObstacle(operation)));
    const owed = due.filter((_, index) => obstacles[index] === null);
    const delays = due.flatMap((operation, index) => {
      const reason = obstacles[index] ?? null;
      return reason === null || reason === 'REVOKED' ? [] : this.delay(operation, reason);
    });
    const revoked = due.filter((_, index) => obstacles[index] === 'REVOKED');
    const hasFailed = await this.failRevoked(fence, revoked);
    if (owed.length === 0) return { delays, hasSent: hasFailed };
    try {
      const paid = await this.pay(fence, chain, owed, look);
      return { hasSent: paid.hasSent || hasFailed, delays: [...delays, ...paid.delays] };
    } catch (error) {
      if (!isNodeFailure(error)) throw error;
      const away = owed.flatMap((operation) => this.delay(operation, 'NODE_UNAVAILABLE'));
      if (away.length > 0)
        this.logger.error({ chainId: chain.chainId, err: error }, 'no delivery: the chain cannot be read');
      return { delays: [...delays, ...away], hasSent: hasFailed };
    }
  }

  /** Pays what the collateral on Ethereum backs. All of a run count together, so that no batch exceeds it. */
  private async pay(
    fence: Fence,
    chain: BridgeChain,
    due: readonly Operation[],
    look: Promise<RelayerLaneView>,
  ): Promise<Delivered> {
    const { addressBook: book } = this.configuration;
    const consent = await this.attesters.consentOn(chain);
    const { accepted: owed, delays: unaccepted } = await this.splitByVerdicts(consent, due);
    if (owed.length === 0) return { delays: unaccepted, hasSent: false };
    const [lane, journal] = [this.lanes.of(chain), this.lanes.journal(fence, chain)];
    const assets = owed.map(({ asset }) => asset);
    const [reasons, funds] = await Promise.all([
      this.solvency.reasonsAgainst(fence, owed),
      look.then((view) => readFunds({ store: this.store, book, from: this.signer.address }, chain, view, assets)),
    ]);
    const backed = owed.filter(({ id }) => !reasons.has(id));
    const plan = planDeliveries(backed, funds, this.clock.now());
    const delays: OperationDelay[] = [
      ...unaccepted,
      ...owed.flatMap((operation) => {
        const reason = reasons.get(operation.id);
        return reason === undefined ? [] : this.delay(operation, reason);
      }),
      ...plan.delays.flatMap(({ operation, ...delay }) => this.delay(operation, delay.reason, delay)),
    ];
    const ready: ReadyDelivery[] = [];
    const findIntent = (id: Operation['id']) => this.findIntent(id);
    const simulation = { chain, from: this.signer.address, book, findIntent, consent };
    for (const prepared of await Promise.all(plan.groups.map((group) => prepareGroup(simulation, group)))) {
      ready.push(...prepared.ready);
      for (const { operation, reason, why } of prepared.delayed) {
        const delay = this.delay(operation, reason);
        if (delay.length > 0) this.logger.warn({ operationId: operation.id, why }, 'the simulated delivery fails');
        delays.push(...delay);
      }
      for (const { id } of prepared.paid)
        this.logger.info({ operationId: id }, 'the contract has already paid this operation');
    }
    const submissions = await lane.submit(
      journal,
      ready.map(({ request }) => request),
    );
    const rejected = ready.flatMap(({ operations }, index) => this.report(chain, operations, submissions[index]));
    return { delays: [...delays, ...rejected], hasSent: submissions.some(({ kind }) => kind === 'sent') };
  }

  private async findIntent(id: Operation['id']): Promise<PayableIntent | null> {
    const { intents, attestable } = this.store;
    const [terms, transfers] = await Promise.all([intents.find(id), attestable.findTransfers([id])]);
    return terms === null ? null : { ...terms, transfer: transfers.get(id) ?? null };
  }

  /**
   * Keeps what enough attesters accept, and delays what they refuse, or left without an answer for some seconds. What
   * still has time stays as it is: the next verdict wakes the stage.
   */
  private async splitByVerdicts(
    consent: Consent | null,
    due: readonly Operation[],
  ): Promise<{ readonly accepted: readonly Operation[]; readonly delays: readonly OperationDelay[] }> {
    if (consent === null) return { accepted: due, delays: [] };
    await this.attesters.show('FINAL', due);
    const accepted: Operation[] = [];
    const delays: OperationDelay[] = [];
    for (const operation of due) {
      const standing = consent.judge(operation.id);
      if (standing === 'ACCEPTED') accepted.push(operation);
      else if (standing === 'REFUSED') delays.push(...this.delay(operation, 'ATTESTERS_DISAGREE'));
      else if (standing === 'LATE') delays.push(...this.delay(operation, 'ATTESTERS_UNAVAILABLE'));
    }
    return { accepted, delays };
  }

  /** Logs what became of a call. Returns the delays of its operations. */
  private report(chain: BridgeChain, operations: readonly Operation[], submission?: Submission): OperationDelay[] {
    if (submission === undefined || submission.kind === 'obsolete') return [];
    if (submission.kind === 'rejected')
      return operations.flatMap((operation) => this.delay(operation, getRejectionDelay(submission)));
    const { hash: txHash, nonce, result } = submission;
    const operationIds = operations.map(({ id }) => id);
    this.logger.info(
      { operationIds, chainId: chain.chainId, txHash, nonce: nonce.toString(), result: result.kind },
      'delivery broadcast',
    );
    return [];
  }

  /** Why an operation is not owed now; null when its origin is final and its sender stands by it. */
  private async findObstacle(operation: Operation): Promise<DelayReason | 'REVOKED' | null> {
    const origin = eachChain(this.chains).find(({ chainId }) => chainId === operation.originChainId);
    if (origin === undefined)
      throw new Error(`Operation ${operation.id} has an unknown origin chain ${operation.originChainId}`);
    try {
      return (await isOriginFinal(origin, operation))
        ? await this.signatureObstacle(operation)
        : 'ORIGIN_NOT_CONFIRMED';
    } catch (error) {
      if (!isNodeFailure(error)) throw error;
      return 'ORIGIN_NOT_CONFIRMED';
    }
  }

  private async signatureObstacle(operation: Operation): Promise<DelayReason | 'REVOKED' | null> {
    const intent = operation.kind === 'INTENT' ? await this.store.intents.find(operation.id) : null;
    if (intent === null) return null;
    const state = await readSignatureState(this.chains.partner.connection, operation, intent);
    if (state === 'valid') return null;
    return state === 'revoked' ? 'REVOKED' : 'ORIGIN_NOT_CONFIRMED';
  }

  /** Fails intents whose smart account does not accept their signature any more. */
  private async failRevoked(fence: Fence, revoked: readonly Operation[]): Promise<boolean> {
    let hasFailed = false;
    await forEachSequential(revoked, async ({ id: operationId }) => {
      if (!(await this.store.refunds.failIntent(fence, operationId, 'SIGNATURE_REVOKED'))) return;
      hasFailed = true;
      this.logger.warn({ operationId }, 'the sender does not accept the signature of the intent any more: it fails');
    });
    return hasFailed;
  }

  /** The delay of an operation; none when it was tried early and its cause is not over, which changes nothing. */
  private delay({ id, attempts, delayedReason, nextAttemptAt }: Operation, reason: DelayReason, delay?: Delay) {
    const nowMs = this.clock.now();
    if (reason === delayedReason && nextAttemptAt !== null && nextAttemptAt.getTime() > nowMs) return [];
    return [{ operationId: id, ...(delay ?? delayAfterAttempt(reason, nowMs, attempts)) }];
  }
}

function isNodeFailure(error: unknown): boolean {
  return error instanceof ChainError || error instanceof BaseError;
}
