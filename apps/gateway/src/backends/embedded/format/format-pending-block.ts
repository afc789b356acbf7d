import type { PendingTransaction, StoredBlock } from '@causeway/partner-chain';
import { formatHeader } from './format-header.js';
import { formatTransaction } from './format-transaction.js';
import { hex } from './hex.js';
import { quantity } from './quantity.js';

/**
 * What stands for the `pending` block: the place after the newest block with what waits for it. Nothing of it is executed yet, so hash,
 * roots and gas are not known (null or 0).
 */
export function formatPendingBlock(
  head: StoredBlock,
  waiting: readonly PendingTransaction[],
  isFull: boolean,
): Readonly<Record<string, unknown>> {
  return {
    ...formatHeader(head),
    number: quantity(head.header.number + 1),
    hash: null,
    parentHash: hex(head.hash),
    nonce: null,
    miner: null,
    logsBloom: null,
    gasUsed: '0x0',
    size: '0x0',
    transactions: waiting.map((transaction) => (isFull ? formatTransaction(transaction, null) : transaction.hash)),
    uncles: [],
    withdrawals: [],
  };
}
