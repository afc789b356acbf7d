import { readFileSync, statSync } from 'node:fs';
import { UnusableSignerError } from './signer-error.js';

/** Receives a sentence for operators. */
export type OnWarning = (sentence: string) => void;

/** Permissions of all but the owner of a file. */
const OTHERS = 0o077;

/**
 * Reads a file that holds a secret, and warns when other users of the machine may use it.
 *
 * @param what the file holds, for messages.
 * @throws UnusableSignerError
 */
export function readSecretFile(what: string, path: string, onWarning: OnWarning): string {
  const content = readKeyFile(what, path);
  // Windows has no such permissions.
  if (process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0)
    onWarning(`Other users of this machine may use the ${what} ${path}: chmod 600 ${path}`);
  return content;
}

/**
 * Reads a file.
 *
 * @throws UnusableSignerError naming the file.
 */
export function readKeyFile(what: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    throw new UnusableSignerError(`The ${what} must be a readable file, not ${path} (${code})`);
  }
}
