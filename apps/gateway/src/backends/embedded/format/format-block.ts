import type { StoredBlock, StoredTransaction } from '@causeway/partner-chain';
import { formatHeader } from './format-header.js';
import { formatMined } from './format-transaction.js';
import { hex } from './hex.js';
import { quantity } from './quantity.js';

/** What `formatBlock` gives. */
export type RpcBlock = Readonly<Record<string, unknown>> & { readonly transactions: readonly unknown[] };

/** A block in the JSON shape of the Ethereum JSON-RPC, with its transactions whole or as hashes. */
export function formatBlock(block: StoredBlock, transactions: readonly StoredTransaction[], isFull: boolean): RpcBlock {
  return {
    ...formatHeader(block),
    size: quantity(sizeOf(block, transactions)),
    transactions: transactions.map((transaction) => (isFull ? formatMined(transaction, block) : hex(transaction.hash))),
    uncles: [],
    withdrawals: [],
  };
}

/** Bytes of the block's RLP: header, transactions, no uncles, no withdrawals. */
function sizeOf(block: StoredBlock, transactions: readonly StoredTransaction[]): number {
  const body = transactions.reduce((sum, { raw }) => sum + itemLength(raw), 0);
  return listLength(block.encodedHeader.length + listLength(body) + 2);
}

/** A legacy transaction is a list and stands as it is; a typed one is a string of bytes (EIP-2718). */
function itemLength(raw: Uint8Array): number {
  return (raw[0] ?? 0) >= 0xc0 ? raw.length : listLength(raw.length);
}

/** Length of an RLP string or list over so many bytes, prefix included. */
function listLength(bytes: number): number {
  return bytes + (bytes < 56 ? 1 : 1 + Math.ceil(bytes.toString(16).length / 2));
}
