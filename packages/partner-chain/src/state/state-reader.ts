import type { Account } from '@ethereumjs/util';
import { LRUCache } from 'lru-cache';
import type { ChainDatabase, Table } from '../storage/chain-database.js';
import { decodeNumber } from '../storage/decode-number.js';
import { encodeNumber } from '../storage/encode-number.js';
import { decodeAccount } from './account-record.js';

/** What an execution reads of the state before its own writes. */
export interface StateReader {
  /** A copy the caller may change, or none. */
  account(address: Uint8Array): Account | undefined;
  /** The value without leading zeros; empty when never written. */
  slot(address: Uint8Array, key: Uint8Array): Uint8Array;
  code(codeHash: Uint8Array): Uint8Array;
}

const CACHED_CODES = 256;
const EMPTY = new Uint8Array(0);

/**
 * The state right after a block, for good: a row carries the number of the block that wrote it, and what it wrote over is kept beside it.
 * So a reader of block n is not disturbed by blocks that are added while it reads.
 */
export class StateAtBlock implements StateReader {
  static readonly #codes = new LRUCache<string, Uint8Array>({ max: CACHED_CODES });

  constructor(
    private readonly database: ChainDatabase,
    private readonly blockNumber: number,
  ) {}

  account(address: Uint8Array): Account | undefined {
    const bytes = this.#read(this.database.accounts, this.database.oldAccounts, Buffer.from(address));
    return bytes === undefined ? undefined : decodeAccount(bytes);
  }

  slot(address: Uint8Array, key: Uint8Array): Uint8Array {
    return this.#read(this.database.slots, this.database.oldSlots, Buffer.concat([address, key])) ?? EMPTY;
  }

  code(codeHash: Uint8Array): Uint8Array {
    const name = Buffer.from(codeHash).toString('latin1');
    const cached = StateAtBlock.#codes.get(name);
    if (cached !== undefined) return cached;
    const code = this.database.codes.getBinary(codeHash) ?? EMPTY;
    StateAtBlock.#codes.set(name, code);
    return code;
  }

  #read(current: Table, old: Table, key: Buffer): Uint8Array | undefined {
    const row = current.getBinary(key);
    if (row === undefined) return undefined;
    if (decodeNumber(row) <= this.blockNumber) return row.subarray(8);
    const start = Buffer.concat([key, encodeNumber(this.blockNumber)]);
    const end = Buffer.concat([key, encodeNumber(0)]);
    for (const { value } of old.getRange({ start, end, reverse: true, limit: 1, inclusiveEnd: true })) return value;
    return undefined;
  }
}
