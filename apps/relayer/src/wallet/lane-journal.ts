import type { BroadcastResult, CallEnd, InFlight, LaneJournal, Recorded, SignedCall } from '@causeway/chain';
import type { CallSubject, Fence, Store, Wallet, WalletCall } from '@causeway/store';
import type { Hex } from 'viem';
import type { BridgeChain } from '../bridge-chain.js';
import { toOutcome, unpaidOperations } from './call-end.js';
import { getBroadcastDelay } from './delivery-delay.js';

export interface LaneCall extends WalletCall {
  readonly deliveries: number;
}

/** The journal of the relayer wallet on a chain, backed by the store, with the fence of one run. */
export class StoredJournal implements LaneJournal<CallSubject, LaneCall> {
  readonly gap: CallSubject = { purpose: 'NONCE_GAP' };

  constructor(
    private readonly store: Store,
    private readonly fence: Fence,
    private readonly wallet: Wallet,
    private readonly chain: Pick<BridgeChain, 'side' | 'bridge'>,
    private readonly now: () => number,
    /** Whether a call that reverted in a block carried an invalid attestation. */
    private readonly wasVoid: (data: Hex, blockNumber: bigint) => Promise<boolean> = () => Promise.resolve(false),
  ) {}

  assertHeld(): void {
    this.store.lease.assertHeld(this.fence);
  }

  async pending(): Promise<LaneCall[]> {
    const calls = await this.store.journal.pending(this.wallet);
    return calls.map((call) => ({ ...call, deliveries: Math.max(1, call.operationIds.length) }));
  }

  nextNonce(): Promise<bigint> {
    return this.store.journal.nextNonce(this.wallet);
  }

  inFlight(from: bigint): Promise<InFlight> {
    return this.store.journal.inFlight(this.wallet, from);
  }

  feesPaidSince(since: Date): Promise<bigint> {
    return this.store.journal.feesPaidSince(this.wallet, since);
  }

  record(calls: readonly SignedCall<CallSubject>[]): Promise<Recorded<CallSubject>> {
    return this.store.journal.record(this.fence, this.wallet, calls);
  }

  replace(call: LaneCall, signed: SignedCall<CallSubject>['transaction'], isCancellation: boolean): Promise<boolean> {
    return this.store.journal.replace(this.fence, call, signed, isCancellation);
  }

  cancel(call: LaneCall): Promise<boolean> {
    return this.store.journal.cancel(this.fence, call);
  }

  reopenLost(chainNonce: bigint, head: bigint): Promise<number> {
    return this.store.journal.reopenLost(this.fence, this.wallet, chainNonce, head);
  }

  async conclude(call: LaneCall, end: CallEnd): Promise<boolean> {
    const [found, reverts, isVoid] = await Promise.all([
      this.store.operations.findByIds(call.operationIds),
      this.store.journal.countReverted(call.operationIds),
      end.kind === 'reverted' ? this.wasVoid(call.data, end.receipt.block.number) : false,
    ]);
    const operations = found.map((each) => ({ ...each, reverts: reverts.get(each.id) ?? 0 }));
    const { side, bridge: address } = this.chain;
    const unpaid = unpaidOperations(isVoid ? { kind: 'void' } : end, operations, { side, address }, this.now());
    return this.store.journal.conclude(this.fence, call, toOutcome(end), unpaid);
  }

  async noteBroadcast(call: LaneCall, hash: Hex, result: BroadcastResult): Promise<void> {
    const reason = getBroadcastDelay(result);
    if (reason !== null) return this.store.journal.delayPending(this.fence, call, reason);
    if (!call.isCancelled) await this.store.journal.markBroadcast(this.fence, call, hash);
  }
}
