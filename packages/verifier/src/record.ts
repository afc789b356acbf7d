import type { Hex } from 'viem';
import type { TransferKey } from './verdict.js';

/** A given signature: which transfer pays which operation or refund. */
export interface SignedTransfer {
  readonly transfer: TransferKey;
  readonly kind: 'DELIVERY' | 'REFUND';
  /** The id of the operation or refund. */
  readonly id: Hex;
}

/** The judgement of an intent at a block: its sender signed it, and the policy gave this fee. */
export interface Acceptance {
  readonly intentId: Hex;
  /** keccak256 of the signature. With another signature the intent is judged again. */
  readonly signatureHash: Hex;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  /** Unix seconds of the block. */
  readonly timestamp: bigint;
  readonly fee: bigint;
}

/** An attester's memory. It survives restarts: an entry is on disk before its signature is sent. */
export interface TransferRecord {
  /** Everything that was signed for a transfer. */
  findByTransfer(transfer: TransferKey): Promise<readonly SignedTransfer[]>;
  /** Everything that was signed for an operation or refund. */
  findById(id: Hex): Promise<readonly SignedTransfer[]>;
  /** The judgement of an intent at its acceptance, in case the nodes have dropped that state. */
  findAcceptance(intentId: Hex): Promise<Acceptance | null>;
  /**
   * When the origin of an operation was first seen as final in this block, in Unix seconds of our own clock. If the
   * record has no time for this block, or one in the future, it stores and returns `now`.
   */
  keepFinalSince(id: Hex, blockHash: Hex, now: number): Promise<number>;
}

/** A record in memory, for tests and single judgements. */
export class MemoryRecord implements TransferRecord {
  private readonly signed: SignedTransfer[] = [];
  private readonly acceptances = new Map<Hex, Acceptance>();
  private readonly finals = new Map<string, number>();

  async findByTransfer(transfer: TransferKey): Promise<readonly SignedTransfer[]> {
    return this.signed.filter((entry) => isSameTransfer(entry.transfer, transfer));
  }

  async findById(id: Hex): Promise<readonly SignedTransfer[]> {
    return this.signed.filter((entry) => entry.id === id);
  }

  async findAcceptance(intentId: Hex): Promise<Acceptance | null> {
    return this.acceptances.get(intentId) ?? null;
  }

  async keepFinalSince(id: Hex, blockHash: Hex, now: number): Promise<number> {
    const key = `${id} ${blockHash}`;
    const since = Math.min(this.finals.get(key) ?? now, now);
    this.finals.set(key, since);
    return since;
  }

  add(entry: SignedTransfer): void {
    this.signed.push(entry);
  }

  addAcceptance(acceptance: Acceptance): void {
    this.acceptances.set(acceptance.intentId, acceptance);
  }
}

/** Whether two keys identify the same transfer. */
export function isSameTransfer(a: TransferKey, b: TransferKey): boolean {
  return a.chainId === b.chainId && a.transactionHash === b.transactionHash && a.callIndex === b.callIndex;
}
