import type { Log } from '../logs/log.js';

/** What came of a transaction. */
export interface Receipt {
  readonly type: number;
  /** 1 for success, 0 for failure. */
  readonly status: 0 | 1;
  readonly gasUsed: bigint;
  /** Gas of the block up to and with this transaction. */
  readonly cumulativeGasUsed: bigint;
  /** In wei. */
  readonly effectiveGasPrice: bigint;
  /** The contract that a creation made, even if it failed. */
  readonly contractAddress: Uint8Array | null;
  readonly logs: readonly Log[];
  readonly logsBloom: Uint8Array;
}
