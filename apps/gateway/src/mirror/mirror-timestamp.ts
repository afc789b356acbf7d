import type { MinedTransaction } from './mined-transaction.js';

/** A mirror node's name of a moment, `seconds.nanoseconds`; the nanoseconds are the transaction's place in its block, so that it is unique within it. */
export function mirrorTimestamp({ block, transaction }: MinedTransaction): string {
  return `${block.header.timestamp}.${transaction.index.toString().padStart(9, '0')}`;
}
