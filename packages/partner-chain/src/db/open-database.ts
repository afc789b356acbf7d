import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { TABLES, type ChainDatabase, type Table } from './tables.js';

/** The most the file may grow to. LMDB reserves addresses, not disk. */
const MAP_BYTES = 256 * 1024 ** 3;

/**
 * Opens the database in a directory, which is created if it does not exist.
 *
 * @param path the directory.
 * @param options.readOnly for the threads that only read.
 */
export function openChainDatabase(path: string, options: { readonly readOnly?: boolean } = {}): ChainDatabase {
  if (options.readOnly !== true) mkdirSync(path, { recursive: true });
  const encodings = { keyEncoding: 'binary', encoding: 'binary' } as const;
  const root = open<Uint8Array, Uint8Array>({
    ...encodings,
    path,
    // Without this lmdb-js treats a path with a dot in it as a file.
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

/** Identifies the file of the database: a copy of the file has another identity. */
export function identifyFile(path: string): string {
  const { ino, birthtimeMs } = statSync(join(path, 'data.mdb'));
  return `${ino} ${Math.trunc(birthtimeMs)}`;
}

/**
 * Lists the other processes that have the database open: LMDB keeps them in the table of readers beside the data, and
 * the kernel's locks tell which of them are alive. Every process of ours reads before it asks, so of two that open the
 * database at the same time at least one sees the other.
 */
export function listOtherProcesses({ root }: ChainDatabase): number[] {
  // Removes the processes that were killed.
  root.readerCheck();
  const [, ...lines] = root.readerList().split('\n');
  const ids = lines.map((line) => Number.parseInt(line, 10)).filter((id) => id > 0 && id !== process.pid);
  return [...new Set(ids)];
}
