import type { Hex } from 'viem';
import type { TransferKey } from './verdict.js';

/** A signature that was given: which transfer pays which operation or refund. */
export interface SignedTransfer {
  readonly transfer: TransferKey;
  readonly kind: 'DELIVERY' | 'REFUND';
  /** Of the operation or the refund. */
  readonly id: Hex;
}

/** An intent as it stood at the block at which it was judged: its sender signed it, and the policy gave this fee. */
export interface Acceptance {
  readonly intentId: Hex;
  /** keccak256 of the signature: with another one the intent is judged again. */
  readonly signatureHash: Hex;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  /** Unix seconds of the block. */
  readonly timestamp: bigint;
  readonly fee: bigint;
}

/** The memory of an attester. It survives restarts: an entry is on disk before its signature leaves. */
export interface TransferRecord {
  /** All that was signed for a transfer. */
  findByTransfer(transfer: TransferKey): Promise<readonly SignedTransfer[]>;
  /** All that was signed for an operation or refund. */
  findById(id: Hex): Promise<readonly SignedTransfer[]>;
  /** The judgement of an intent when it was accepted, for nodes that have dropped the state since. */
  findAcceptance(intentId: Hex): Promise<Acceptance | null>;
  /**
   * When the origin of an operation was first seen as final in this block, in Unix seconds by the own clock. A moment
   * that the record does not have, or has of another block or in the future, is `now`, which it keeps.
   */
  keepFinalSince(id: Hex, blockHash: Hex, now: number): Promise<number>;
}

/** A record without a disk, for tests and for judging once. */
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

/** Whether two keys name one transfer. */
export function isSameTransfer(a: TransferKey, b: TransferKey): boolean {
  return a.chainId === b.chainId && a.transactionHash === b.transactionHash && a.callIndex === b.callIndex;
}
