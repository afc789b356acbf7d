import { ChainError, QuorumError, readMarket, simulate, type Signer } from '@causeway/chain';
import { getToken } from '@causeway/protocol';
import { bridgeMintAbi } from '@causeway/protocol/abi';
import { requestDeployment, type RequestDeployment } from '@causeway/protocol/admin';
import type { AdminRequest, Fence, PayableRefund, Refund, SeenDelivery, SeenRefund, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { BaseError, type Address, type Hex } from 'viem';
import { eachChain, type BridgeChain, type BridgeChains } from '../../bridge-chain.js';
import type { Configuration } from '../../configuration.js';
import { NO_ATTESTATION, type Attestation } from '../../exchange/attestation.js';
import { Attesters } from '../../exchange/attesters.js';
import { CHAINS, CLOCK, CONFIGURATION, LOGGER, SIGNER, STORE, type Clock } from '../../infrastructure.js';
import { forEachParallel, forEachSequential } from '../../pipeline/for-each.js';
import { isSendingHalted } from '../../pipeline/halted-chains.js';
import { isArrivalFinal, isReadToHead, readFinalBlock } from '../../pipeline/origin.js';
import { isIntentRejected, isRefundApproved } from '../../requests/verify-request.js';
import { Lanes } from '../../wallet/lanes.js';
import type { Stage } from '../../pipeline/scheduler.js';
import { judgeDelivery } from '../../watch/judge-delivery.js';
import { readKeptCoin } from '../kept-coin.js';
import { computePayment, encodeRefund, isPayableBy, isWholePayment } from './encode-refund.js';
import { failUnmatched } from './fail-arrivals.js';
import { UnjournaledPayments } from './unjournaled-payments.js';

/** Delay before a refund that could not be paid is retried. It also bounds how long a cleared cause goes unnoticed. */
const PAUSE_MS = 30_000;
/** Gas besides the simulated amount: the share of a recipient of coin that burns all of it, and a credit. */
const REFUSAL_GAS = 870_000n;
/** The attesters still have time to answer; their verdict wakes the stage. */
const AWAITS_VERDICTS = 'it waits for the attesters';

/**
 * Turns transfers that pay no intent into FAILED operations with a refund. Pays refunds that operators approved, once,
 * on the chain of the transfer, and completes a refund when its payment's event is final. Also fails intents that two
 * operators rejected.
 */
@Injectable()
export class RefundStage implements Stage {
  readonly name = 'refund';
  /** When each refund that could not be paid is due again, in epoch milliseconds. */
  private readonly dueAtMs = new Map<Hex, number>();
  /** The refunds that were shown to attesters. */
  private readonly shown = new Set<Hex>();
  private readonly unjournaled: UnjournaledPayments;

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(SIGNER) private readonly signer: Signer,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(Lanes) private readonly lanes: Lanes,
    @Inject(Attesters) private readonly attesters: Pick<Attesters, 'consentOn' | 'showRefund' | 'onVerdicts'>,
  ) {
    this.unjournaled = new UnjournaledPayments(store, configuration.addressBook);
  }

  onWake(wake: () => void): void {
    this.attesters.onVerdicts((_, verdicts) => {
      const asked = verdicts.filter(({ id }) => this.shown.has(id));
      for (const { id } of asked) this.dueAtMs.delete(id);
      if (asked.length > 0) wake();
    });
  }

  async run(fence: Fence): Promise<boolean> {
    let hasWritten = false;
    const parts: readonly (() => Promise<boolean>)[] = [
      () => this.failArrivals(fence),
      () => this.failRejected(fence),
      () => this.payApproved(fence),
      () => this.settle(fence),
    ];
    await forEachSequential(parts, async (part) => {
      if (await part()) hasWritten = true;
    });
    return hasWritten;
  }

  private async failArrivals(fence: Fence): Promise<boolean> {
    let hasFailed = false;
    await forEachParallel(eachChain(this.chains), async (chain) => {
      for (const operationId of await failUnmatched(this.store, fence, chain, this.chains)) {
        hasFailed = true;
        this.logger.warn({ operationId, chainId: chain.chainId }, 'a transfer pays no intent; requested its refund');
      }
    });
    return hasFailed;
  }

  private async failRejected(fence: Fence): Promise<boolean> {
    let hasFailed = false;
    await forEachSequential(await this.store.refunds.findRejected(), async ({ id, requestId }) => {
      const request = await this.store.requests.find(requestId);
      if (!(await isIntentRejected(id, request, this.configuration.approvals, this.deployment))) {
        this.logger.error({ operationId: id, requestId }, 'ignored a rejection that two operators did not sign');
        return;
      }
      if (!(await this.store.refunds.failIntent(fence, id, 'REJECTED_BY_OPERATORS'))) return;
      hasFailed = true;
      this.logger.warn({ operationId: id }, 'the intent was rejected by operators');
    });
    return hasFailed;
  }

  private async payApproved(fence: Fence): Promise<boolean> {
    const now = this.clock.now();
    for (const [id, dueAtMs] of this.dueAtMs) if (dueAtMs <= now) this.dueAtMs.delete(id);
    let hasWritten = false;
    const approved = await this.store.refunds.findApproved();
    if (approved.length === 0) this.shown.clear();
    await forEachSequential(approved, async (refund) => {
      if (this.dueAtMs.has(refund.id)) return;
      const { approvedBy, recipient } = refund;
      const request = approvedBy === null ? null : await this.store.requests.find(approvedBy);
      const isApproved = await isRefundApproved(refund, request, this.configuration.approvals, this.deployment);
      if (!isApproved || request === null || recipient === null)
        this.postpone(refund, 'its approval is not signed by enough operators');
      else if (await this.pay(fence, refund, { recipient, request })) hasWritten = true;
    });
    return hasWritten;
  }

  private get deployment(): RequestDeployment {
    return requestDeployment(this.configuration.addressBook);
  }

  /** Pays an approved refund. Returns whether its call was sent. */
  private async pay(fence: Fence, refund: Refund, approved: Approved): Promise<boolean> {
    if (await isSendingHalted(this.store)) return false;
    const chain = eachChain(this.chains).find(({ chainId }) => chainId === refund.chainId);
    if (chain === undefined) throw new Error(`Refund ${refund.id} is of an unknown chain ${refund.chainId}`);
    // After a start this takes a moment; the next run rechecks. A release on Ethereum may show that the transfer was
    // paid out.
    for (const each of eachChain(this.chains)) if (!(await isReadToHead(this.store, each))) return false;
    try {
      const obstacle = await this.send(fence, chain, refund, approved);
      if (obstacle === null) return true;
      if (obstacle !== AWAITS_VERDICTS) this.postpone(refund, obstacle);
    } catch (error) {
      if (!(error instanceof ChainError || error instanceof BaseError)) throw error;
      this.postpone(refund, 'the nodes do not answer or disagree', { err: error });
    }
    return false;
  }

  /** Returns why no call was sent; null when it was. */
  private async send(
    fence: Fence,
    chain: BridgeChain,
    refund: Refund,
    { recipient, request }: Approved,
  ): Promise<string | null> {
    // Rechecked right before money moves, since the scan may lag behind a reorg.
    const operation = await this.store.operations.findById(refund.operationId);
    if (operation === null || !(await isArrivalFinal(this.store, chain, operation))) return 'its transfer is not final';
    if (!isPayableBy(refund, chain.side, this.signer.address))
      return 'its transfer arrived at a former wallet: return it with the key of that wallet';
    const { side } = chain;
    if (side === 'ethereum') {
      const arrival = await this.store.refunds.arrival(operation.id);
      if (arrival === null) return 'its transfer is not final';
      const wallet = this.lanes.wallet(chain);
      const obstacle = await this.unjournaled.findObstacle(fence, chain, wallet, refund, arrival.blockNumber);
      if (obstacle !== null) return obstacle;
    } else {
      const paid = await this.findPayment(chain, refund, recipient);
      if (paid !== null) return this.close(fence, chain, refund, paid);
    }
    // The objection may have been read after the approval.
    const objection = await this.store.requests.findObjection(request);
    if (objection !== null) return objection;
    // A contract may reject coin with call data.
    const takesData = !(await hasCode(chain, recipient));
    const gasPrice = side === 'ethereum' ? await readGasPrice(chain) : 0n;
    const payment = computePayment(refund, recipient, { side, gasPrice, takesData });
    if (payment === null) return 'the gas of its payment costs more than half of the amount';
    if (await this.isShort(fence, chain, refund))
      return 'its coin is in the float, and the wallet holds the rest for others: send the wallet the same amount';
    const attestation = await this.attest(chain, refund, request, payment);
    if (typeof attestation === 'string') return attestation;
    const from = this.signer.address;
    const { addressBook: book } = this.configuration;
    const call = encodeRefund(refund, payment, { book, side, relayer: from, takesData, attestation });
    if (call.value > 0n && !(await takesCoin(chain, from, payment)))
      return 'the recipient does not accept the coin: two operators must name another recipient';
    const simulation = await simulate(chain.connection.client, { from, ...call }, bridgeMintAbi);
    if (simulation.kind !== 'ok')
      return `its simulated payment failed: ${simulation.kind === 'reverted' ? simulation.errorName : simulation.kind}`;
    const subject = { purpose: 'REFUND', ...payment } as const;
    const gas = simulation.gas + (call.value > 0n && side === 'partner' ? REFUSAL_GAS : 0n);
    const journal = this.lanes.journal(fence, chain);
    const [submission] = await this.lanes.of(chain).submit(journal, [{ ...call, gas, deliveries: 1, subject }]);
    if (submission?.kind === 'rejected') return `the wallet cannot pay it now: ${submission.reason}`;
    if (submission?.kind !== 'sent') return 'it was settled or halted in the meantime';
    const { paidAmount, gasFee } = payment;
    const amounts = { paidAmount: paidAmount.toString(), gasFee: gasFee.toString() };
    this.logger.info({ refundId: refund.id, recipient, ...amounts, txHash: submission.hash }, 'refund broadcast');
    return null;
  }

  /** Whether paying a refund whose own coin was swept would use coin that the wallet keeps for others. */
  private async isShort(fence: Fence, chain: BridgeChain, { operationId, asset, amount }: Refund): Promise<boolean> {
    if (chain.side !== 'partner' || asset !== 'XCN' || !(await this.store.sweeps.isInFloat(operationId))) return false;
    const view = await this.lanes.of(chain).look(this.lanes.journal(fence, chain));
    const { all, inFloat } = await readKeptCoin(this.store, chain, this.lanes.wallet(chain), view);
    return view.books.available - amount < all - inFloat;
  }

  /**
   * Requests the attesters' consent where the contract requires it. That is only on the partner chain, since a refund
   * on Ethereum calls no contract of the bridge.
   *
   * @returns NO_ATTESTATION when none is required; a string says why there is none.
   */
  private async attest(
    chain: BridgeChain,
    refund: Refund,
    request: AdminRequest,
    payment: PayableRefund,
  ): Promise<Attestation | string> {
    const consent = chain.side === 'partner' ? await this.attesters.consentOn(chain) : null;
    if (consent === null) return NO_ATTESTATION;
    const { id, asset, wallet } = refund;
    this.shown.add(id);
    await this.attesters.showRefund(refund, payment, request);
    switch (consent.judge(id)) {
      case 'OPEN':
        return AWAITS_VERDICTS;
      case 'LATE':
        return 'too few attesters have answered';
      case 'REFUSED':
        return 'attesters refuse it: the console shows why';
      case 'ACCEPTED': {
        const token = getToken(this.configuration.addressBook, 'partner', asset);
        const { recipient, paidAmount: amount } = payment;
        const terms = { call: 'REFUND', refundId: id, wallet, token, recipient, amount } as const;
        return (await consent.gather([id], terms)) ?? 'too few attesters signed in time';
      }
    }
  }

  /**
   * Finds the refund's payment on the chain, to the payer or to the approved recipient, if the journal has lost it. Its
   * id may have been reopened since.
   */
  private async findPayment({ chainId, side }: BridgeChain, refund: Refund, recipient: Address) {
    const token = getToken(this.configuration.addressBook, side, refund.asset).toLowerCase();
    const deliveries = await this.store.verdicts.deliveriesFor(chainId, [refund.id]);
    const paid = deliveries.find(
      ({ delivery: { name, args } }) =>
        name === 'Refunded' &&
        args['token'] === token &&
        (args['recipient'] === recipient || args['recipient'] === refund.payer) &&
        isWholePayment(refund, BigInt(args['amount'] ?? 0), side),
    );
    return paid?.delivery ?? null;
  }

  /** Completes a refund that the chain shows as paid, once the payment is final. Returns why no call is sent. */
  private async close(fence: Fence, chain: BridgeChain, refund: Refund, paid: SeenDelivery): Promise<string> {
    const { txHash, minedAt: settledAt, args } = paid;
    const [token, recipient] = [args['token'] as Address, args['recipient'] as Address];
    const payment = { refund, txHash, token, recipient, amount: BigInt(args['amount'] ?? 0), settledAt };
    if (await isFinal(chain, paid)) await this.store.restore.restoreRefund(fence, payment);
    return `BridgeMint has already paid it, in ${txHash}`;
  }

  private postpone({ id }: Refund, why: string, details: object = {}): void {
    this.dueAtMs.set(id, this.clock.now() + PAUSE_MS);
    this.logger.warn({ refundId: id, ...details }, `refund postponed: ${why}`);
  }

  /** A Refunded event with the terms of its refund completes it, once a quorum of nodes has its block as final. */
  private async settle(fence: Fence): Promise<boolean> {
    const { partner } = this.chains;
    const finalBlock = await readFinalBlock(this.store, partner);
    if (finalBlock === null) return false;
    const paid = await this.store.refunds.findPaid(partner.chainId, finalBlock);
    let hasSettled = false;
    await forEachSequential(paid, async (seen) => {
      const { refundId, txHash } = seen;
      const refund = await this.store.refunds.find(refundId);
      if (refund === null || !this.matchesPayment(refund, seen) || !(await isFinal(partner, seen))) return;
      if (!(await this.store.refunds.complete(fence, seen, partner.chainId))) return;
      hasSettled = true;
      this.logger.info({ refundId, txHash }, 'refund completed');
    });
    return hasSettled;
  }

  /** Other terms mean that a thief paid with the relayer's key: the watch halts deliveries. */
  private matchesPayment({ payment, asset, chainId: destinationChainId }: Refund, delivery: SeenRefund): boolean {
    if (payment === null) return false;
    const { recipient, paidAmount: outputAmount } = payment;
    const owed = { asset, recipient, outputAmount, fee: 0n, destinationChainId };
    return judgeDelivery({ delivery, owed }, this.configuration.addressBook, 'partner').kind === 'matched';
  }
}

/** The recipient that operators approved, and the request that they signed. */
interface Approved {
  readonly recipient: Address;
  readonly request: AdminRequest;
}

async function isFinal(chain: BridgeChain, seen: SeenDelivery | SeenRefund): Promise<boolean> {
  try {
    return await chain.finality.isFinal(seen, chain.confirmations);
  } catch (error) {
    if (error instanceof QuorumError) return false;
    throw error;
  }
}

/**
 * The gas price: the base fee of the newest block that a quorum of nodes has, plus the market's tip. A single node
 * reports the tip, so it is capped at the base fee.
 */
async function readGasPrice({ connection, finality }: BridgeChain): Promise<bigint> {
  const blockNumber = await finality.head();
  const [baseFee, { priorityFeePerGas: tip }] = await Promise.all([
    connection.agree(async (client) => (await client.getBlock({ blockNumber })).baseFeePerGas ?? 0n),
    readMarket(connection.client),
  ]);
  return baseFee + (tip < baseFee ? tip : baseFee);
}

/** Whether an account has code, by a quorum: a contract, or a key that delegates to one. */
async function hasCode({ connection }: BridgeChain, address: Address): Promise<boolean> {
  const code = await connection.agree(async (client) => (await client.getCode({ address })) ?? '0x');
  return code !== '0x';
}

/** Whether a recipient accepts native coin, by a quorum. Otherwise the contract would keep it as a credit. */
async function takesCoin(
  { connection }: BridgeChain,
  from: Address,
  { recipient, paidAmount }: PayableRefund,
): Promise<boolean> {
  const call = { from, to: recipient, data: '0x', value: paidAmount } as const;
  const kind = await connection.agree(async (client) => (await simulate(client, call, [])).kind);
  return kind !== 'reverted';
}
