/** A log as a contract left it. */
export interface Log {
  readonly address: Uint8Array;
  readonly topics: readonly Uint8Array[];
  readonly data: Uint8Array;
}

/** A log and where it stands in the chain. */
export interface PlacedLog extends Log {
  readonly blockNumber: number;
  /** Index in the block. */
  readonly logIndex: number;
  readonly transactionIndex: number;
  readonly transactionHash: Uint8Array;
}
