/** A log of a block, ready to be matched. It is shared: nobody may modify it. */
export interface ChainLog {
  /** In lower case, like the topics. */
  readonly address: string;
  readonly topics: readonly string[];
  readonly blockHash: string;
  readonly blockNumber: number;
  /** As the backend answered it. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Characters of JSON. */
  readonly size: number;
}
