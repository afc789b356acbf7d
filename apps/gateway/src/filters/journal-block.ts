import type { Hex } from 'viem';

/** What filters know of a block. */
export interface JournalBlock {
  readonly hash: Hex;
  readonly number: number;
}
