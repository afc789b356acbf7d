// The entry point `@causeway/chain/keystore`. Commands and services write and open keystores only through it.
import type { Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';

const MESSAGES = {
  UNKNOWN_FORMAT: 'The keystore is not in the format Web3 Secret Storage, version 3',
  NOT_DECRYPTED: 'The keystore cannot be decrypted: check the password',
} as const;

/** A keystore cannot be opened. The error has no cause, because a library's message may quote its secret input. */
export class KeystoreError extends Error {
  override readonly name = 'KeystoreError';
  constructor(readonly code: keyof typeof MESSAGES) {
    super(MESSAGES[code]);
  }
}

/**
 * Decrypts a key in the format Web3 Secret Storage, version 3, which geth, Clef and Foundry's cast write. The key
 * derivation takes about a second by design.
 *
 * @throws KeystoreError if the password is wrong, or the text is damaged or has another format.
 */
export async function decryptKey(json: string, password: string): Promise<Hex> {
  // A lazy import of only this part of ethers: it is large, and most runs open no keystore.
  const { decryptKeystoreJson, isKeystoreJson } = await import('ethers/wallet');
  if (!isKeystoreJson(json)) throw new KeystoreError('UNKNOWN_FORMAT');
  try {
    const { privateKey } = await decryptKeystoreJson(json, password);
    return privateKey as Hex;
  } catch {
    throw new KeystoreError('NOT_DECRYPTED');
  }
}

/**
 * Encrypts a key in the same format, with the scrypt parameters of geth. It takes about a second.
 *
 * @returns the JSON text of the keystore, which includes the address.
 */
export async function encryptKey(privateKey: Hex, password: string): Promise<string> {
  const { encryptKeystoreJson } = await import('ethers/wallet');
  return encryptKeystoreJson({ address: privateKeyToAddress(privateKey), privateKey }, password);
}
