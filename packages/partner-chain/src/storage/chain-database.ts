import { mkdirSync } from 'node:fs';
import { open, type Database, type RootDatabase } from 'lmdb';

/** One table: byte keys in order, byte values. */
export type Table = Database<Uint8Array, Uint8Array>;

/**
 * The chain on disk: one LMDB environment. A block is written in one transaction, so what is there is always a whole chain up to some
 * block; any number of threads may read while one writes.
 */
export interface ChainDatabase {
  readonly root: RootDatabase<Uint8Array, Uint8Array>;
  /** Single facts: `head` (number of the newest block), `chain` (what the database was made for). */
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
  /** term, block number, log index -> nothing (see log-terms). */
  readonly postings: Table;
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

const TABLES = [
  'meta',
  'headers',
  'numbers',
  'transactions',
  'places',
  'receipts',
  'logs',
  'postings',
  'traces',
  'accounts',
  'oldAccounts',
  'slots',
  'oldSlots',
  'codes',
  'nodes',
] as const satisfies readonly Exclude<keyof ChainDatabase, 'root'>[];

/** The most the file may grow to; LMDB reserves addresses, not disk. */
const MAP_BYTES = 256 * 1024 ** 3;

/**
 * Opens the database in a directory, which is made when it is not there.
 *
 * @param path the directory.
 * @param options.readOnly for the threads that only read.
 */
export function openChainDatabase(path: string, options: { readonly readOnly?: boolean } = {}): ChainDatabase {
  if (options.readOnly !== true) mkdirSync(path, { recursive: true });
  const root = open<Uint8Array, Uint8Array>({
    path,
    maxDbs: TABLES.length,
    mapSize: MAP_BYTES,
    keyEncoding: 'binary',
    encoding: 'binary',
    readOnly: options.readOnly ?? false,
  });
  const tables = Object.fromEntries(
    TABLES.map((name) => [
      name,
      root.openDB<Uint8Array, Uint8Array>({ name, keyEncoding: 'binary', encoding: 'binary' }),
    ]),
  ) as Record<(typeof TABLES)[number], Table>;
  return { root, ...tables };
}
