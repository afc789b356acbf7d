import { RLP } from '@ethereumjs/rlp';
import { hexToBytes, unprefixedHexToBytes, type Account } from '@ethereumjs/util';
import { decodeNumber, encodeNumber, placeKey } from '../db/keys.js';
import type { ChainDatabase, Table } from '../db/tables.js';
import { encodeCallFrame, type CallFrame } from '../evm/call-tree.js';
import type { ChainTransaction } from '../evm/transaction.js';
import { encodeLog } from '../logs/log.js';
import { listTerms } from '../logs/log-index.js';
import { encodeAccount } from '../state/state-reader.js';
import type { StateCommit } from '../state/state-trie.js';
import type { StateChanges } from '../state/world-state.js';
import { encodeHeader, type Header } from './header.js';
import { encodeReceiptRecord, type Receipt } from './receipt.js';

/** A transaction in a block, and its result. */
export interface SealedTransaction {
  readonly transaction: ChainTransaction;
  readonly receipt: Receipt;
  readonly calls: CallFrame;
}

/** A complete block to write. */
export interface SealedBlock {
  readonly hash: Uint8Array;
  readonly header: Header;
  readonly transactions: readonly SealedTransaction[];
  readonly changes: StateChanges;
  readonly state: StateCommit;
}

const EMPTY = new Uint8Array(0);
/** Key of the newest block's number. */
export const HEAD = Buffer.from('head');

/**
 * Writes a block in one database transaction. `transactionSync` flushes to disk before it commits, so no reader sees a
 * block that a power cut could still remove. Do not use the asynchronous writes of lmdb-js, which commit first.
 *
 * @throws Error if the newest block is not this block's parent: another process writes to the same directory.
 */
export function writeBlock(database: ChainDatabase, block: SealedBlock): void {
  const { number: blockNumber } = block.header;
  database.root.transactionSync(() => {
    const head = database.meta.getBinary(HEAD);
    const next = head === undefined ? 0 : decodeNumber(head) + 1;
    if (next !== blockNumber) {
      throw new Error(
        `cannot write block ${blockNumber}, because the next block of the chain on disk is ${next}: another process writes to the same directory`,
      );
    }
    const number = encodeNumber(blockNumber);
    writeState(database, block, number);
    writeTransactions(database, block);
    void database.headers.put(number, encodeHeader(block.header));
    void database.numbers.put(block.hash, number);
    void database.meta.put(HEAD, number);
  });
}

function writeTransactions(database: ChainDatabase, { header, transactions }: SealedBlock): void {
  let logIndex = 0;
  for (const [index, { transaction, receipt, calls }] of transactions.entries()) {
    const place = placeKey(header.number, index);
    const hash = hexToBytes(transaction.hash);
    void database.transactions.put(place, RLP.encode([transaction.raw, transaction.sender.bytes, hash]));
    void database.places.put(hash, place);
    void database.receipts.put(place, encodeReceiptRecord(receipt, logIndex));
    void database.traces.put(place, Buffer.from(encodeCallFrame(calls)));
    for (const log of receipt.logs) {
      const position = placeKey(header.number, logIndex);
      void database.logs.put(position, encodeLog(log, index, hash));
      for (const term of listTerms(log)) void database.logIndex.put(Buffer.concat([term, position]), EMPTY);
      logIndex += 1;
    }
  }
}

function writeState(database: ChainDatabase, block: SealedBlock, number: Buffer): void {
  for (const [address, account] of block.state.accounts) {
    replace(database.accounts, database.oldAccounts, unprefixedHexToBytes(address), encodeRecord(account), number);
  }
  for (const [address, slots] of block.changes.slots) {
    // The slots of an unchanged account belong to a contract that was created and destroyed in this block.
    if ((block.state.accounts.get(address) ?? null) === null) continue;
    const prefix = unprefixedHexToBytes(address);
    for (const [slot, value] of slots) {
      const key = Buffer.concat([prefix, unprefixedHexToBytes(slot)]);
      replace(database.slots, database.oldSlots, key, value, number);
    }
  }
  for (const [hash, code] of block.changes.codes) void database.codes.put(unprefixedHexToBytes(hash), code);
  for (const [hash, node] of block.state.nodes) void database.nodes.put(unprefixedHexToBytes(hash), node);
}

/**
 * Writes a row with the number of its block, and keeps the replaced row under the number of the block that wrote it.
 */
function replace(current: Table, old: Table, key: Uint8Array, value: Uint8Array, number: Buffer): void {
  const before = current.getBinary(key);
  if (before !== undefined) void old.put(Buffer.concat([key, before.subarray(0, 8)]), before.subarray(8));
  void current.put(key, Buffer.concat([number, value]));
}

function encodeRecord(account: Account | null): Uint8Array {
  return account === null ? EMPTY : encodeAccount(account);
}
