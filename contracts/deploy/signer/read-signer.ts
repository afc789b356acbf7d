import { readFileSync } from 'node:fs';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import type { AddressBook } from '../address-book.js';
import { askPassword } from './ask-password.js';
import { openKeystore } from './open-keystore.js';

/** Where the key of a command comes from. */
export interface SignerSource {
  readonly environment: AddressBook['environment'];
  /** File with an encrypted key. */
  readonly keystore?: string | undefined;
  /** File whose first line is its password; left out, the terminal is asked. */
  readonly passwordFile?: string | undefined;
  /** Name of the environment variable that holds a bare key, in the local environment only. */
  readonly variable: string;
  /** What that variable holds. */
  readonly bareKey: string | undefined;
}

/**
 * Reads the key that signs.
 *
 * @returns its account; nothing when no key was given.
 * @throws Error when a bare key was given outside the local environment, or a key is not one; what says what to do instead.
 */
export async function readSigner(source: SignerSource): Promise<PrivateKeyAccount | undefined> {
  const { environment, keystore, passwordFile, variable, bareKey } = source;
  if (keystore !== undefined) {
    const password =
      passwordFile === undefined
        ? await askPassword(`Password of ${keystore}: `, { input: process.stdin, output: process.stderr })
        : (readFileSync(passwordFile, 'utf8').split(/\r?\n/, 1)[0] ?? '');
    return privateKeyToAccount(await openKeystore(readFileSync(keystore, 'utf8'), password));
  }
  if (bareKey === undefined) return undefined;
  if (environment !== 'local') {
    throw new Error(
      `${variable} holds a bare key, which is for the local environment only. For ${environment}, encrypt the key ` +
        '(cast wallet import, geth account import), unset the variable and give --keystore <file>',
    );
  }
  if (!isKey(bareKey)) throw new Error(`${variable} must be set to 0x and 64 hex digits`);
  return privateKeyToAccount(bareKey);
}

function isKey(text: string): text is `0x${string}` {
  return /^0x[0-9a-fA-F]{64}$/.test(text);
}
