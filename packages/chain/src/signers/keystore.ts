// The entry point `@causeway/chain/keystore`: the one way in which commands and services write and open a keystore.
import type { Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';

const MESSAGES = {
  UNKNOWN_FORMAT: 'The keystore is not in the format Web3 Secret Storage, version 3',
  NOT_DECRYPTED: 'The keystore cannot be decrypted: is the password right?',
} as const;

/** A keystore cannot be opened. It has no cause, since the message of a library may quote what it was given. */
export class KeystoreError extends Error {
  override readonly name = 'KeystoreError';
  constructor(readonly code: keyof typeof MESSAGES) {
    super(MESSAGES[code]);
  }
}

/**
 * Decrypts a key in the format Web3 Secret Storage, version 3, which geth, Clef and Foundry's cast write. That takes
 * about a second, as the format means it to.
 *
 * @throws KeystoreError when the password is wrong, or the text is damaged or has another format.
 */
export async function decryptKey(json: string, password: string): Promise<Hex> {
  // Imported only here, and only this part of ethers: it is large, and most runs open no keystore.
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
 * Encrypts a key in the same format, with scrypt as geth does it. That takes about a second, too.
 *
 * @returns the text of the keystore, with the address.
 */
export async function encryptKey(privateKey: Hex, password: string): Promise<string> {
  const { encryptKeystoreJson } = await import('ethers/wallet');
  return encryptKeystoreJson({ address: privateKeyToAddress(privateKey), privateKey }, password);
}
