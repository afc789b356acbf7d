import type { Hex } from 'viem';

/**
 * Decrypts a key in the format Web3 Secret Storage, version 3, as geth, Clef and Foundry's cast write it.
 *
 * @throws Error when the password is wrong, or the file is none of these.
 */
export async function openKeystore(json: string, password: string): Promise<Hex> {
  // Loaded here only: ethers is an optional peer dependency, and nothing else of these commands needs it.
  const { decryptKeystoreJson, isKeystoreJson } = await import('ethers');
  if (!isKeystoreJson(json)) throw new Error('The keystore is not in the format Web3 Secret Storage, version 3');
  const { privateKey } = await decryptKeystoreJson(json, password).catch((error: unknown) => {
    throw new Error('The keystore cannot be decrypted: is the password right?', { cause: error });
  });
  return privateKey as Hex;
}
