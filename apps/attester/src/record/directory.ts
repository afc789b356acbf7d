import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigurationError } from '@causeway/service/configuration';

const LOCK = 'lock';
/** SQLite's code for a database locked by another process. */
const BUSY = 5;

/**
 * Locks a directory for this process, and creates it if missing. The lock is SQLite's, because Node.js has no file
 * locks; the kernel frees it however the process ends.
 *
 * @returns a function that frees the lock.
 * @throws ConfigurationError while another process has the lock, or when the directory is not writable.
 */
export function lockDirectory(directory: string): () => void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const lock = new DatabaseSync(join(directory, LOCK));
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
    return () => lock.close();
  } catch (error) {
    const { errcode, code, message } = error as Error & { readonly errcode?: number; readonly code?: string };
    const reason =
      errcode === BUSY
        ? 'is used by another process: two attesters must not share a record'
        : `cannot be used (${code === 'ERR_SQLITE_ERROR' ? message : code})`;
    throw new ConfigurationError([`DATA_DIRECTORY ${directory} ${reason}`], { cause: error });
  }
}

/** Whether a process has locked a directory. Read-only. */
export function isLocked(directory: string): boolean {
  const path = join(directory, LOCK);
  if (!existsSync(path)) return false;
  const lock = new DatabaseSync(path, { readOnly: true });
  try {
    lock.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if ((error as { readonly errcode?: number }).errcode === BUSY) return true;
    throw error;
  } finally {
    lock.close();
  }
}
