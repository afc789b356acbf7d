import { RLP } from '@ethereumjs/rlp';
import { Account, bigIntToUnpaddedBytes, bytesToBigInt } from '@ethereumjs/util';
import { LRUCache } from 'lru-cache';
import { decodeNumber, encodeNumber } from '../db/keys.js';
import type { ChainDatabase, Table } from '../db/tables.js';

/** The state that an execution reads before its own writes. */
export interface StateReader {
  /** Returns a copy that the caller can change, or undefined if the account does not exist. */
  account(address: Uint8Array): Account | undefined;
  /** Returns the value without leading zeros; empty if never written. */
  slot(address: Uint8Array, key: Uint8Array): Uint8Array;
  code(codeHash: Uint8Array): Uint8Array;
}

/** Cached codes. Each also keeps its jump analysis in memory, at most 0.5 MB. */
const CACHED_CODES = 64;
const EMPTY = new Uint8Array(0);

/**
 * The state right after a block. A row has the number of the block that wrote it, and replaced rows are kept in a
 * separate table. So later blocks do not change the answers for block n.
 */
export class StateAtBlock implements StateReader {
  private static readonly codes = new LRUCache<string, Uint8Array>({ max: CACHED_CODES });

  constructor(
    private readonly database: ChainDatabase,
    private readonly blockNumber: number,
  ) {}

  account(address: Uint8Array): Account | undefined {
    const bytes = this.read(this.database.accounts, this.database.oldAccounts, Buffer.from(address));
    return bytes === undefined ? undefined : decodeAccount(bytes);
  }

  slot(address: Uint8Array, key: Uint8Array): Uint8Array {
    return this.read(this.database.slots, this.database.oldSlots, Buffer.concat([address, key])) ?? EMPTY;
  }

  code(codeHash: Uint8Array): Uint8Array {
    const name = Buffer.from(codeHash).toString('latin1');
    const cached = StateAtBlock.codes.get(name);
    if (cached !== undefined) return cached;
    const code = this.database.codes.getBinary(codeHash) ?? EMPTY;
    StateAtBlock.codes.set(name, code);
    return code;
  }

  private read(current: Table, old: Table, key: Buffer): Uint8Array | undefined {
    const row = current.getBinary(key);
    if (row === undefined) return undefined;
    if (decodeNumber(row) <= this.blockNumber) return row.subarray(8);
    const start = Buffer.concat([key, encodeNumber(this.blockNumber)]);
    const end = Buffer.concat([key, encodeNumber(0)]);
    for (const { value } of old.getRange({ start, end, reverse: true, limit: 1, inclusiveEnd: true })) return value;
    return undefined;
  }
}

/**
 * Encodes an account for the state trie: RLP of nonce, balance, storage root, code hash (Yellow Paper, section 4.1).
 */
export function encodeAccount(account: Account): Uint8Array {
  return RLP.encode([
    bigIntToUnpaddedBytes(account.nonce),
    bigIntToUnpaddedBytes(account.balance),
    account.storageRoot,
    account.codeHash,
  ]);
}

/** Decodes an account; undefined for the empty bytes of a deleted one. */
function decodeAccount(bytes: Uint8Array): Account | undefined {
  if (bytes.length === 0) return undefined;
  const [nonce, balance, storageRoot, codeHash] = RLP.decode(bytes) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
  return new Account(bytesToBigInt(nonce), bytesToBigInt(balance), storageRoot, codeHash);
}
