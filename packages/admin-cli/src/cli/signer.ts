import { readFileSync } from 'node:fs';
import type { Hex } from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { decryptKey } from '@causeway/chain/keystore';
import { askPassword, PROCESS_TERMINAL } from './terminal.js';

/** The sources of a command's key. */
interface SignerSource {
  readonly environment: 'local' | 'testnet' | 'mainnet';
  /** File with an encrypted key. */
  readonly keystore?: string | undefined;
  /** File whose first line is the password. Without it, the terminal asks. */
  readonly passwordFile?: string | undefined;
  /** Environment variable with a bare key, in the local environment only. */
  readonly variable: string;
  /** Value of that variable. */
  readonly bareKey: string | undefined;
}

/**
 * Reads the key that signs.
 *
 * @returns the account of the key; undefined when no key was given.
 * @throws Error when a bare key was given outside the local environment, or when the key is invalid.
 */
export async function readSigner(source: SignerSource): Promise<PrivateKeyAccount | undefined> {
  const { environment, keystore, passwordFile, variable, bareKey } = source;
  if (keystore !== undefined) {
    const password =
      passwordFile === undefined
        ? await askPassword(`Password of ${keystore}: `, PROCESS_TERMINAL)
        : (readFileSync(passwordFile, 'utf8').split(/\r?\n/, 1)[0] ?? '');
    return privateKeyToAccount(await decryptKey(readFileSync(keystore, 'utf8'), password));
  }
  if (bareKey === undefined) return undefined;
  if (environment !== 'local') {
    throw new Error(
      `${variable} holds a bare key, which is for the local environment only. For ${environment}, encrypt the key ` +
        '(cast wallet import, geth account import), unset the variable and give --keystore <file>',
    );
  }
  if (!isPrivateKey(bareKey)) throw new Error(`${variable} must be set to 0x and 64 hex digits`);
  return privateKeyToAccount(bareKey);
}

function isPrivateKey(text: string): text is Hex {
  return /^0x[0-9a-fA-F]{64}$/.test(text);
}
