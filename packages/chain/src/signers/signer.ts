import { keccak256, type Address, type Hex, type TransactionSerializableEIP1559 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

/** Signs for a wallet: with a key in memory, a keystore or a KMS. */
export interface Signer {
  readonly address: Address;
  readonly signTransaction: (transaction: TransactionSerializableEIP1559) => Promise<{ raw: Hex; hash: Hex }>;
}

/** Creates a signer with a raw key in memory. Only for the local profile. */
export function localSigner(privateKey: Hex): Signer {
  const account = privateKeyToAccount(privateKey);
  return {
    address: account.address,
    signTransaction: async (transaction) => {
      const raw = await account.signTransaction(transaction);
      return { raw, hash: keccak256(raw) };
    },
  };
}
