import { localSigner, type Signer } from '@causeway/chain';
import type { Configuration } from '../config/configuration.js';

/**
 * The relayer wallet.
 *
 * @throws Error when the contracts know another one.
 */
export function signerOf({ relayerPrivateKey, addressBook }: Configuration): Signer {
  const signer = localSigner(relayerPrivateKey);
  if (signer.address.toLowerCase() !== addressBook.relayer.toLowerCase()) {
    throw new Error(`The key is of ${signer.address}, but the contracts know the relayer ${addressBook.relayer}`);
  }
  return signer;
}
