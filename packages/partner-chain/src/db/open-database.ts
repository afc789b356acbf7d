import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { TABLES, type ChainDatabase, type Table } from './tables.js';

/** Names of LMDB's files in the directory. */
export const DATA_FILE = 'data.mdb';
export const LOCK_FILE = 'lock.mdb';
/** Maximum file size. LMDB reserves address space, not disk. */
const MAP_BYTES = 256 * 1024 ** 3;

/**
 * Opens the database in a directory, and creates the directory if it does not exist.
 *
 * @param path the directory.
 * @param options.readOnly for threads that only read.
 */
export function openChainDatabase(path: string, options: { readonly readOnly?: boolean } = {}): ChainDatabase {
  if (options.readOnly !== true) mkdirSync(path, { recursive: true });
  const encodings = { keyEncoding: 'binary', encoding: 'binary' } as const;
  const root = open<Uint8Array, Uint8Array>({
    ...encodings,
    path,
    // Without this lmdb-js treats a path with a dot as a file.
    noSubdir: false,
    maxDbs: TABLES.length,
    mapSize: MAP_BYTES,
    readOnly: options.readOnly ?? false,
  });
  const tables = Object.fromEntries(
    TABLES.map((name) => [name, root.openDB<Uint8Array, Uint8Array>({ name, ...encodings })]),
  ) as Record<(typeof TABLES)[number], Table>;
  return { root, ...tables };
}

/** Returns the identity of the database file. A copy of the file has another identity. */
export function identifyFile(path: string): string {
  const { ino, birthtimeMs } = statSync(join(path, DATA_FILE));
  return `${ino} ${Math.trunc(birthtimeMs)}`;
}

/**
 * Lists the other processes that have the database open. LMDB records them in its reader table, and kernel locks show
 * which of them are alive. Every process reads before it calls this, so if two open the database at the same time, at
 * least one sees the other.
 */
export function listOtherProcesses({ root }: ChainDatabase): number[] {
  // Removes killed processes.
  root.readerCheck();
  const [, ...lines] = root.readerList().split('\n');
  const ids = lines.map((line) => Number.parseInt(line, 10)).filter((id) => id > 0 && id !== process.pid);
  return [...new Set(ids)];
}
