import { copyFileSync, existsSync, readFileSync, renameSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { RECORD, lockDirectory } from './directory.js';
import { syncDirectory } from './attest-record.js';
import { decodeContent, encodeLine } from './entry.js';

/** The outcome of a recovery. */
export interface Recovery {
  /** Entries that are in the record now. */
  readonly kept: number;
  /** Where the damaged file is; null when nothing was damaged. */
  readonly damaged: string | null;
}

/**
 * Replaces a damaged record by one with every line of it that is whole, and keeps the damaged file. The wait of the
 * next start covers the signatures whose lines are lost.
 *
 * @throws ConfigurationError while an attester uses the directory.
 */
export async function recoverRecord(directory: string, nowMs: number): Promise<Recovery> {
  const unlock = lockDirectory(directory);
  try {
    const path = join(directory, RECORD);
    if (!existsSync(path)) return { kept: 0, damaged: null };
    const { entries, damagedLine } = decodeContent(readFileSync(path));
    if (damagedLine === null) return { kept: entries.length, damaged: null };
    const damaged = join(directory, `${RECORD}.damaged-${new Date(nowMs).toISOString().replaceAll(':', '-')}`);
    copyFileSync(path, damaged);
    const whole = join(directory, `${RECORD}.recovered`);
    const file = await open(whole, 'w', 0o600);
    await file.writeFile(entries.map((entry, index) => encodeLine(index + 1, entry)).join(''));
    await file.sync();
    await file.close();
    renameSync(whole, path);
    syncDirectory(directory);
    return { kept: entries.length, damaged };
  } finally {
    unlock();
  }
}
