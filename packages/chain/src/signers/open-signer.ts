// The entry point `@causeway/chain/signers`, for programs that read no chain with this package.
import type { Address, Hex } from 'viem';
import type { OnWarning } from './key-file.js';
import { openKeystore, type KeystoreSettings } from './keystore-signer.js';
import { openKms, type KmsSettings } from './kms-signer.js';
import { localSigner } from './local-signer.js';
import { openRemoteSigner, type RemoteSignerSettings } from './remote-signer.js';
import { OtherKeySignedError } from './signer-error.js';
import type { Signer } from './signer.js';

export { openKeystore } from './keystore-signer.js';
export { localSigner } from './local-signer.js';
export type { Signer } from './signer.js';

/** Settings of a wallet's signer: where the key is and how to reach it. */
export type SignerSettings =
  { readonly kind: 'raw'; readonly privateKey: Hex } | KeystoreSettings | RemoteSignerSettings | KmsSettings;

/**
 * Opens the signer of a wallet.
 *
 * @param address the wallet. A signer with another key is refused.
 * @param onWarning receives a sentence about a check that is not possible yet.
 * @throws UnusableSignerError, SignerRefusedError, OtherKeySignedError
 */
export async function openSigner(settings: SignerSettings, address: Address, onWarning: OnWarning): Promise<Signer> {
  const signer = await open(settings, address, onWarning);
  if (signer.address.toLowerCase() === address.toLowerCase()) return signer;
  throw new OtherKeySignedError(address, signer.address);
}

async function open(settings: SignerSettings, address: Address, onWarning: OnWarning): Promise<Signer> {
  switch (settings.kind) {
    case 'raw':
      return localSigner(settings.privateKey);
    case 'keystore':
      return openKeystore(settings);
    case 'remote':
      return openRemoteSigner(settings, address, onWarning);
    case 'kms':
      return openKms(settings, address, onWarning);
  }
}

/**
 * Tests a signer with a transaction that no chain accepts, because its gas limit is 0.
 *
 * @throws SignerError
 */
export async function trySigner(signer: Signer, chainId: number): Promise<void> {
  await signer.signTransaction({
    type: 'eip1559',
    chainId,
    to: signer.address,
    value: 0n,
    nonce: 0,
    gas: 0n,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
  });
}
