import { blockRange, decodeNumber, encodeNumber } from '../db/keys.js';
import type { ChainDatabase, Table } from '../db/tables.js';
import { listTerms } from '../logs/log-index.js';
import { ChainReader, type StoredBlock } from './chain-reader.js';
import { HEAD } from './write-block.js';

/**
 * Removes the blocks after `last`, for development chains that revert to a snapshot. Trie nodes and codes stay, because
 * later blocks can use them again.
 *
 * @returns the removed blocks, newest first.
 */
export function removeBlocks(database: ChainDatabase, last: number): StoredBlock[] {
  const reader = new ChainReader(database);
  const head = reader.headNumber() ?? last;
  const removed: StoredBlock[] = [];
  database.root.transactionSync(() => {
    for (let number = head; number > last; number -= 1) {
      const block = reader.block(number);
      if (block === null) throw new Error(`block ${number} is missing`);
      removed.push(block);
      void database.numbers.remove(block.hash);
      for (const { hash } of reader.transactions(number)) void database.places.remove(hash);
      removeLogIndex(database, number);
    }
    const range = blockRange(last + 1, head);
    for (const table of [database.headers, database.transactions, database.receipts, database.logs, database.traces]) {
      // Read first: an open cursor must not see the removals.
      const keys = [...table.getKeys(range)];
      for (const key of keys) void table.remove(key);
    }
    restoreRows(database.accounts, database.oldAccounts, last);
    restoreRows(database.slots, database.oldSlots, last);
    void database.meta.put(HEAD, encodeNumber(last));
  });
  return removed;
}

function removeLogIndex(database: ChainDatabase, blockNumber: number): void {
  for (const log of new ChainReader(database).logs(blockNumber, blockNumber)) {
    const position = Buffer.concat([encodeNumber(blockNumber), encodeNumber(log.logIndex)]);
    for (const term of listTerms(log)) void database.logIndex.remove(Buffer.concat([term, position]));
  }
}

/** Restores for each key the newest row that a block up to `last` wrote, and removes it from the old rows. */
function restoreRows(current: Table, old: Table, last: number): void {
  const changed = [...current.getRange()].filter(({ value }) => decodeNumber(value) > last);
  for (const { key } of changed) {
    void current.remove(key);
    const range = { start: Buffer.concat([key, encodeNumber(0)]), end: Buffer.concat([key, Buffer.alloc(8, 0xff)]) };
    const rows = [...old.getRange(range)].map((row) => ({ ...row, writtenIn: decodeNumber(row.key, key.length) }));
    const newest = rows.findLast(({ writtenIn }) => writtenIn <= last);
    if (newest !== undefined) {
      void current.put(key, Buffer.concat([encodeNumber(newest.writtenIn), newest.value]));
    }
    for (const { key: oldKey, writtenIn } of rows) {
      if (writtenIn >= (newest?.writtenIn ?? 0)) void old.remove(oldKey);
    }
  }
}
