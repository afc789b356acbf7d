import {
  indexTrieRoot,
  type PartnerChain,
  type PendingTransaction,
  type StoredBlock,
  type StoredTransaction,
} from '@causeway/partner-chain';
import { LRUCache } from 'lru-cache';
import { keccak256, sha256, type Hex } from 'viem';
import type { RpcHeader } from '../backend.js';
import { formatMined, formatTransaction, hex, quantity, type RpcObject } from './format-transactions.js';

/** Hash of the empty list in RLP: this chain has no uncles. */
const NO_UNCLES = keccak256('0xc0');
/** Root of an empty trie: no withdrawals (EIP-4895), or no receipts. */
const EMPTY_ROOT = keccak256('0x80');
/** No requests (EIP-7685). */
const NO_REQUESTS = sha256('0x');
const ZERO_HASH: Hex = `0x${'00'.repeat(32)}`;
const NO_LOGS: Hex = `0x${'00'.repeat(256)}`;

/** A block's header as `newHeads` delivers it. Fields that this chain does not use have Ethereum's empty values. */
export function formatHeader({ header, hash }: StoredBlock): RpcHeader {
  return {
    number: quantity(header.number),
    hash: hex(hash),
    parentHash: hex(header.parentHash),
    sha3Uncles: NO_UNCLES,
    miner: hex(header.coinbase),
    stateRoot: hex(header.stateRoot),
    transactionsRoot: hex(header.transactionsRoot),
    receiptsRoot: hex(header.receiptsRoot),
    logsBloom: hex(header.logsBloom),
    difficulty: '0x0',
    gasLimit: quantity(header.gasLimit),
    gasUsed: quantity(header.gasUsed),
    timestamp: quantity(header.timestamp),
    extraData: '0x',
    mixHash: hex(header.prevRandao),
    nonce: '0x0000000000000000',
    baseFeePerGas: quantity(header.baseFeePerGas),
    withdrawalsRoot: EMPTY_ROOT,
    blobGasUsed: '0x0',
    excessBlobGas: '0x0',
    parentBeaconBlockRoot: ZERO_HASH,
    requestsHash: NO_REQUESTS,
  };
}

type RpcBlock = RpcObject & { readonly transactions: readonly unknown[] };

export function formatBlock(block: StoredBlock, transactions: readonly StoredTransaction[], isFull: boolean): RpcBlock {
  return {
    ...formatHeader(block),
    size: quantity(computeSize(block, transactions)),
    transactions: transactions.map((transaction) => (isFull ? formatMined(transaction, block) : hex(transaction.hash))),
    uncles: [],
    withdrawals: [],
  };
}

/** Bytes of the block's RLP: header, transactions, no uncles, no withdrawals. */
function computeSize(block: StoredBlock, transactions: readonly StoredTransaction[]): number {
  const body = transactions.reduce((sum, { raw }) => sum + itemLength(raw), 0);
  return listLength(block.encodedHeader.length + listLength(body) + 2);
}

/** A legacy transaction is a list and needs no prefix; a typed one is a string of bytes (EIP-2718). */
function itemLength(raw: Uint8Array): number {
  return (raw[0] ?? 0) >= 0xc0 ? raw.length : listLength(raw.length);
}

/** Length of an RLP string or list of a number of bytes, prefix included. */
function listLength(bytes: number): number {
  return bytes + (bytes < 56 ? 1 : 1 + Math.ceil(bytes.toString(16).length / 2));
}

/**
 * The successor of the newest block. Its transactions are not executed yet, so it has no receipts, logs or gas, and the
 * newest block's state. Only the hash is null, because typed clients accept null for no other field.
 */
export function formatPendingBlock(
  head: StoredBlock,
  pending: readonly PendingTransaction[],
  isFull: boolean,
): RpcObject {
  return {
    ...formatHeader(head),
    number: quantity(head.header.number + 1),
    hash: null,
    parentHash: hex(head.hash),
    // go-ethereum verifies the root against the transactions.
    transactionsRoot: hex(indexTrieRoot(pending.map(({ raw }) => raw))),
    receiptsRoot: EMPTY_ROOT,
    logsBloom: NO_LOGS,
    gasUsed: '0x0',
    size: '0x0',
    transactions: pending.map((transaction) => (isFull ? formatTransaction(transaction, null) : transaction.hash)),
    uncles: [],
    withdrawals: [],
  };
}

/** Maximum bytes of cached formatted transactions; they take a few times as much memory. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Size of a block or a transaction besides its bytes. */
const OVERHEAD = 256;

/** Cache of formatted blocks: most clients ask for the newest blocks, and a block never changes. */
export class FormattedBlocks {
  private readonly kept = new LRUCache<string, RpcBlock>({ maxSize: MAX_BYTES });

  constructor(private readonly chain: PartnerChain) {}

  /** @param isFull whether the transactions are whole or hashes. */
  get(block: StoredBlock, isFull: boolean): RpcBlock {
    const key = `${hex(block.hash)}/${isFull}`;
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const transactions = this.chain.reader.transactions(block.header.number);
    const formatted = formatBlock(block, transactions, isFull);
    const bytes = isFull ? transactions.reduce((sum, { raw }) => sum + raw.length, 0) : 0;
    this.kept.set(key, formatted, { size: bytes + OVERHEAD * (1 + transactions.length) });
    return formatted;
  }
}
