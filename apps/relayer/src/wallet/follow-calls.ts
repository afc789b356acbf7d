import { ChainError, type Verdict } from '@causeway/chain';
import type { Fence, Operation, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { BaseError } from 'viem';
import { eachChain, type BridgeChain, type BridgeChains } from '../bridge-chain.js';
import { hasAttestationEnded } from '../exchange/validity.js';
import type { Configuration } from '../configuration.js';
import { CHAINS, CLOCK, CONFIGURATION, LOGGER, STORE, type Clock } from '../infrastructure.js';
import { forEachParallel } from '../pipeline/for-each.js';
import { isAnyChainHalted, isSendingHalted } from '../pipeline/halted-chains.js';
import { isArrivalFinal, isEvidenceFinal, isOriginFinal } from '../pipeline/origin.js';
import type { Stage } from '../pipeline/scheduler.js';
import { FormerCalls } from './former-calls.js';
import type { LaneCall } from './lane-journal.js';
import { Lanes } from './lanes.js';

/**
 * Follows every call of the wallet until the use of its nonce is final: deliveries, retirements, sweeps, refunds,
 * cancellations and nonce gaps. See `WalletLane.follow`. After a rotation it ends the calls of former wallets.
 */
@Injectable()
export class FollowCalls implements Stage {
  readonly name = 'follow';
  /** The last verdict against each call, by call id. */
  private readonly verdicts = new Map<bigint, Verdict>();
  private readonly former: FormerCalls;

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIGURATION) configuration: Configuration,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(Lanes) private readonly lanes: Lanes,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.former = new FormerCalls({ store, lanes, configuration });
  }

  async run(fence: Fence): Promise<boolean> {
    let hasWritten = false;
    await forEachParallel(eachChain(this.chains), async (chain) => {
      const journal = this.lanes.journal(fence, chain);
      if (await this.lanes.of(chain).follow(journal, (call) => this.judge(call))) hasWritten = true;
      if (await this.former.end(fence, chain)) hasWritten = true;
    });
    return hasWritten;
  }

  /**
   * Checks again, as before the first broadcast, that a call may be mined. A journalled transaction may never have been
   * sent, or a node may have dropped it, so it can be broadcast long after the decision.
   */
  private async judge(call: LaneCall): Promise<Verdict> {
    // A cancellation pays nothing, so a halt of deliveries does not stop it.
    const isHalted = () => (call.isCancelled ? isAnyChainHalted(this.store) : isSendingHalted(this.store));
    if (await isHalted()) return 'later';
    const verdict = call.isCancelled ? 'send' : await this.judgeUncancelled(call).catch(laterWithoutNodes);
    // A chain or the deliveries may have been halted during the requests to nodes.
    if (verdict === 'send' && (await isHalted())) return 'later';
    this.report(call, verdict);
    return verdict;
  }

  private report({ id, chainId, nonce, purpose, operationIds }: LaneCall, verdict: Verdict): void {
    if ((this.verdicts.get(id) ?? 'send') === verdict) return;
    if (verdict === 'send') this.verdicts.delete(id);
    else this.verdicts.set(id, verdict);
    const fields = { chainId, nonce: nonce.toString(), purpose, operationIds, verdict };
    if (verdict === 'send') this.logger.info(fields, 'the call can be sent again');
    else this.logger.error(fields, 'the call is not sent');
  }

  /** Cancels a call whose attestation has expired: it could only revert, and a new attestation needs a new call. */
  private async judgeUncancelled(call: LaneCall): Promise<Verdict> {
    return hasAttestationEnded(call.data, this.clock.now()) ? 'cancel' : this.judgeByPurpose(call);
  }

  private async judgeByPurpose({ purpose, operationIds, retirementId, refundId }: LaneCall): Promise<Verdict> {
    switch (purpose) {
      case 'DELIVERY': {
        const operations = await this.store.operations.findByIds(operationIds);
        const owed = await Promise.all(operations.map((operation) => this.isStillOwed(operation)));
        return owed.every(Boolean) ? 'send' : 'withhold';
      }
      case 'RETIREMENT': {
        // A retirement that lost a burn or release in an accepted reorg is cancelled, since no user waits for it.
        const evidence = retirementId === null ? null : await this.store.retirements.evidence(retirementId);
        if (evidence === null) return 'cancel';
        return (await isEvidenceFinal(this.chains, evidence)) ? 'send' : 'withhold';
      }
      case 'REFUND': {
        const refund = refundId === null ? null : await this.store.refunds.find(refundId);
        if (refund?.status !== 'PENDING') return 'withhold';
        const operation = await this.store.operations.findById(refund.operationId);
        if (operation === null) return 'withhold';
        return (await isArrivalFinal(this.store, this.getOrigin(operation), operation)) ? 'send' : 'withhold';
      }
      // Swept coin belongs to the bridge in the wallet and in the float, so a late sweep does no harm.
      case 'SWEEP':
      case 'NONCE_GAP':
        return 'send';
    }
  }

  private async isStillOwed(operation: Operation): Promise<boolean> {
    return isOriginFinal(this.getOrigin(operation), operation);
  }

  private getOrigin({ id, originChainId }: Operation): BridgeChain {
    const chain = eachChain(this.chains).find(({ chainId }) => chainId === originChainId);
    if (chain === undefined) throw new Error(`Operation ${id} has an unknown origin chain ${originChainId}`);
    return chain;
  }
}

/** Nodes that do not answer or disagree prove nothing against a call. */
function laterWithoutNodes(error: unknown): Verdict {
  if (error instanceof ChainError || error instanceof BaseError) return 'later';
  throw error;
}
