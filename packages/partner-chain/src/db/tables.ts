import type { Database, RootDatabase } from 'lmdb';

/** One table: byte keys in order, byte values. */
export type Table = Database<Uint8Array, Uint8Array>;

/** The chain on disk: one LMDB environment. Any number of threads can read while one writes. */
export interface ChainDatabase {
  readonly root: RootDatabase<Uint8Array, Uint8Array>;
  /** Single values, such as `head` (number of the newest block) and `chain` (identity of the chain). */
  readonly meta: Table;
  /** block number -> RLP of the header. */
  readonly headers: Table;
  /** block hash -> block number. */
  readonly numbers: Table;
  /** block number, index -> RLP of [raw transaction, sender, hash]. */
  readonly transactions: Table;
  /** transaction hash -> block number, index. */
  readonly places: Table;
  /** block number, index -> RLP of a receipt without its logs. */
  readonly receipts: Table;
  /** block number, log index -> RLP of a log. */
  readonly logs: Table;
  /** term, block number, log index -> empty (see `termKey`). */
  readonly logIndex: Table;
  /** block number, index -> JSON of the call tree. */
  readonly traces: Table;
  /** address -> block that wrote it, RLP of the account (empty when deleted). */
  readonly accounts: Table;
  /** address, block that wrote it -> RLP of the account before the next write. */
  readonly oldAccounts: Table;
  /** address, slot -> block that wrote it, value. */
  readonly slots: Table;
  /** address, slot, block that wrote it -> value before the next write. */
  readonly oldSlots: Table;
  /** code hash -> code. */
  readonly codes: Table;
  /** node hash -> RLP of a node of the state trie or a storage trie. */
  readonly nodes: Table;
}

export const TABLES = [
  'meta',
  'headers',
  'numbers',
  'transactions',
  'places',
  'receipts',
  'logs',
  'logIndex',
  'traces',
  'accounts',
  'oldAccounts',
  'slots',
  'oldSlots',
  'codes',
  'nodes',
] as const satisfies readonly Exclude<keyof ChainDatabase, 'root'>[];
