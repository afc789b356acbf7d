import { copyFileSync, existsSync } from 'node:fs';
import { lockDirectory } from './directory.js';
import type { SignedEntry } from './entry.js';
import { getRecordPath, readContent, replaceRecord, writeNext } from './record-file.js';

/** The outcome of a recovery. */
export interface Recovery {
  /** Entries in the resulting record. */
  readonly kept: number;
  /** Path of the kept damaged file; null when nothing was damaged. */
  readonly damaged: string | null;
}

/**
 * Replaces a damaged record by one with all its intact lines, and keeps the damaged file. The wait after the next start
 * covers the signatures of lost lines.
 *
 * @throws ConfigurationError while an attester uses the directory.
 */
export async function recoverRecord(directory: string, nowMs: number): Promise<Recovery> {
  const unlock = lockDirectory(directory);
  try {
    const path = getRecordPath(directory);
    if (!existsSync(path)) return { kept: 0, damaged: null };
    const entries: SignedEntry[] = [];
    const { damagedLine } = readContent(path, (entry) => entries.push(entry));
    if (damagedLine === null) return { kept: entries.length, damaged: null };
    const damaged = `${path}.damaged-${new Date(nowMs).toISOString().replaceAll(':', '-')}`;
    copyFileSync(path, damaged);
    replaceRecord(directory, writeNext(directory, entries));
    return { kept: entries.length, damaged };
  } finally {
    unlock();
  }
}
