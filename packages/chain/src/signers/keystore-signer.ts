import type { Hex } from 'viem';
import { readPrivateFile } from './key-file.js';
import { decryptKey, KeystoreError } from './keystore.js';
import { localSigner } from './local-signer.js';
import { UnusableSignerError } from './signer-error.js';
import type { Signer } from './signer.js';

/** An encrypted key in the format Web3 Secret Storage, version 3, with scrypt or PBKDF2. */
export interface KeystoreSettings {
  readonly kind: 'keystore';
  readonly file: string;
  /** File whose first line is the password. */
  readonly passwordFile: string;
}

/** Problems of a keystore; each continues "The keystore <file> …". */
const PROBLEMS: Readonly<Record<KeystoreError['code'], string>> = {
  UNKNOWN_FORMAT:
    'is not in the format Web3 Secret Storage, version 3: create it with cast wallet import or geth account import',
  NOT_DECRYPTED: 'cannot be decrypted: check the password, and that the file is complete',
};

/**
 * Decrypts the key into the memory of this process.
 *
 * @throws UnusableSignerError
 */
export async function openKeystore(settings: KeystoreSettings): Promise<Signer> {
  return localSigner(await decryptKeystore(settings));
}

/**
 * Decrypts the private key of a keystore.
 *
 * @throws UnusableSignerError
 */
export async function decryptKeystore({ file, passwordFile }: KeystoreSettings): Promise<Hex> {
  const json = readPrivateFile('keystore', file);
  const [password = ''] = readPrivateFile('password file', passwordFile).split(/\r?\n/, 1);
  if (password === '') throw new UnusableSignerError(`The first line of the password file ${passwordFile} is empty`);
  return decrypt(file, json, password);
}

async function decrypt(file: string, json: string, password: string): Promise<Hex> {
  try {
    return await decryptKey(json, password);
  } catch (error) {
    if (!(error instanceof KeystoreError)) throw error;
    throw new UnusableSignerError(`The keystore ${file} ${PROBLEMS[error.code]}`);
  }
}
