import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { checkedSigner, type Signer } from './signer.js';

/** Creates a signer with a key in the memory of this process. */
export function localSigner(privateKey: Hex): Signer {
  const account = privateKeyToAccount(privateKey);
  return checkedSigner(account.address, {
    signTransaction: (transaction) => account.signTransaction(transaction),
    signTypedData: (data) => account.signTypedData(data),
  });
}
