import type { ChainLog } from './chain-log.js';

/** A block's logs, in order. */
export interface BlockOfLogs {
  /** In lower case. */
  readonly hash: string;
  readonly number: number;
  readonly logs: readonly ChainLog[];
  /** Characters of JSON. */
  readonly size: number;
}
