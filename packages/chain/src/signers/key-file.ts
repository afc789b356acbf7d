import { readFileSync } from 'node:fs';
import { readSecretFile } from '@causeway/service/configuration';
import { UnusableSignerError } from './signer-error.js';

/** Receives a sentence for operators. */
export type OnWarning = (sentence: string) => void;

/**
 * Reads a file with a secret.
 *
 * @param what names the content in messages.
 * @throws UnusableSignerError naming the file, also if other users of the machine have access to it.
 */
export function readPrivateFile(what: string, path: string): string {
  const read = readSecretFile(path);
  if ('content' in read) return read.content;
  throw new UnusableSignerError(`The ${what} ${path} ${read.problem}`);
}

/**
 * Reads a file without secrets.
 *
 * @throws UnusableSignerError naming the file.
 */
export function readPublicFile(what: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    throw new UnusableSignerError(`The ${what} must be a readable file, not ${path} (${code})`);
  }
}
