import { closeSync, fsyncSync, openSync, readSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeLine, encodeLine, type SignedEntry } from './entry.js';

const PIECE_BYTES = 65_536;
const PIECE_LINES = 1_000;
const LINE_END = 10;

/** The file of a record in its directory. */
export function getRecordPath(directory: string): string {
  return join(directory, 'record');
}

/** The content of a record file. */
export interface Content {
  /** Number of intact lines. */
  readonly entries: number;
  /** Length of all complete lines. A partial line can follow after a crash. */
  readonly wholeBytes: number;
  /** The first damaged line, counted from 1; null for none. */
  readonly damagedLine: number | null;
}

/**
 * Reads a record file in pieces, because it can exceed the maximum string length.
 *
 * @param take receives the entry of every intact line, even in a damaged file.
 */
export function readContent(path: string, take: (entry: SignedEntry) => void): Content {
  const file = openSync(path, 'r');
  try {
    const piece = Buffer.alloc(PIECE_BYTES);
    let rest = Buffer.alloc(0);
    let [lines, entries, wholeBytes] = [0, 0, 0];
    let damagedLine: number | null = null;
    for (let length = readSync(file, piece); length > 0; length = readSync(file, piece)) {
      const bytes = Buffer.concat([rest, piece.subarray(0, length)]);
      let from = 0;
      for (let end = bytes.indexOf(LINE_END); end !== -1; end = bytes.indexOf(LINE_END, from)) {
        const found = decodeLine(bytes.toString('utf8', from, end));
        lines += 1;
        if (found?.number !== lines) damagedLine ??= lines;
        if (found !== null) {
          entries += 1;
          take(found.entry);
        }
        from = end + 1;
      }
      wholeBytes += from;
      rest = bytes.subarray(from);
    }
    return { entries, wholeBytes, damagedLine };
  } finally {
    closeSync(file);
  }
}

/** Writes a file with these entries next to the record, and flushes it to the disk. @returns its path. */
export function writeNext(directory: string, entries: readonly SignedEntry[]): string {
  const path = `${getRecordPath(directory)}.next`;
  const file = openSync(path, 'w', 0o600);
  try {
    for (let from = 0; from < entries.length; from += PIECE_LINES) {
      const piece = entries.slice(from, from + PIECE_LINES);
      writeFileSync(file, piece.map((entry, index) => encodeLine(from + index + 1, entry)).join(''));
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return path;
}

/** Atomically replaces the record by a file of `writeNext`. */
export function replaceRecord(directory: string, next: string): void {
  renameSync(next, getRecordPath(directory));
  syncDirectory(directory);
}

/** Flushes a directory, after which a new file's entry in it is durable. */
export function syncDirectory(directory: string): void {
  const folder = openSync(directory, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
