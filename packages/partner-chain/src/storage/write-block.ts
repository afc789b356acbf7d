import { RLP } from '@ethereumjs/rlp';
import { hexToBytes, unprefixedHexToBytes, type Account } from '@ethereumjs/util';
import { encodeHeader } from '../block/encode-header.js';
import { encodeReceiptRecord } from '../block/receipt-record.js';
import type { SealedBlock } from '../block/sealed-block.js';
import { encodeCallFrame } from '../execution/call-frame-json.js';
import { encodeLog } from '../logs/log-record.js';
import { termsOf } from '../logs/log-terms.js';
import { encodeAccount } from '../state/account-record.js';
import type { ChainDatabase, Table } from './chain-database.js';
import { decodeNumber } from './decode-number.js';
import { encodeNumber } from './encode-number.js';

const EMPTY = new Uint8Array(0);
const HEAD = Buffer.from('head');

/**
 * Writes a block, all of it or nothing: when this returns, the block is there for good, whatever ends the process.
 *
 * @throws Error when the newest block is not the one this was built on: somebody else writes to the same directory.
 */
export function writeBlock(database: ChainDatabase, block: SealedBlock): void {
  const number = encodeNumber(block.header.number);
  database.root.transactionSync(() => {
    const head = database.meta.getBinary(HEAD);
    const next = head === undefined ? 0 : decodeNumber(head) + 1;
    if (next !== block.header.number) {
      throw new Error(
        `block ${block.header.number} cannot follow, the chain on disk goes on with ${next}: another process writes to the same directory`,
      );
    }
    writeState(database, block, number);
    writeTransactions(database, block, number);
    void database.headers.put(number, encodeHeader(block.header));
    void database.numbers.put(block.hash, number);
    void database.meta.put(HEAD, number);
  });
}

function writeTransactions(database: ChainDatabase, block: SealedBlock, number: Buffer): void {
  let logIndex = 0;
  for (const [index, { transaction, receipt, calls }] of block.transactions.entries()) {
    const place = Buffer.concat([number, encodeNumber(index)]);
    const hash = hexToBytes(transaction.hash);
    void database.transactions.put(place, RLP.encode([transaction.raw, transaction.sender.bytes, hash]));
    void database.places.put(hash, place);
    void database.receipts.put(place, encodeReceiptRecord(receipt, logIndex));
    void database.traces.put(place, Buffer.from(encodeCallFrame(calls)));
    for (const log of receipt.logs) {
      const position = Buffer.concat([number, encodeNumber(logIndex)]);
      void database.logs.put(position, encodeLog(log, index, hash));
      for (const term of termsOf(log)) void database.postings.put(Buffer.concat([term, position]), EMPTY);
      logIndex += 1;
    }
  }
}

function writeState(database: ChainDatabase, block: SealedBlock, number: Buffer): void {
  for (const [address, account] of block.state.accounts) {
    replace(database.accounts, database.oldAccounts, unprefixedHexToBytes(address), recordOf(account), number);
  }
  for (const [address, slots] of block.changes.slots) {
    // Slots whose account did not change belong to a contract that was destroyed in the block that made it.
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

/** Puts a row with the number of the block that writes it, and keeps what it takes the place of, under the block that wrote that. */
function replace(current: Table, old: Table, key: Uint8Array, value: Uint8Array, number: Buffer): void {
  const before = current.getBinary(key);
  if (before !== undefined) void old.put(Buffer.concat([key, before.subarray(0, 8)]), before.subarray(8));
  void current.put(key, Buffer.concat([number, value]));
}

function recordOf(account: Account | null): Uint8Array {
  return account === null ? EMPTY : encodeAccount(account);
}
