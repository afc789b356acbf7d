/** A transaction that waits for a block. */
export interface PendingTransaction {
  readonly hash: `0x${string}`;
  readonly raw: Uint8Array;
  readonly sender: `0x${string}`;
}

/** How much of what waits is asked for at most. */
export interface PendingBounds {
  readonly transactions: number;
  /** Of all of them together. */
  readonly bytes: number;
}
