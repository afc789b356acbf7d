import { keccak256, type Address, type Hex, type TransactionSerializableEIP1559 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

/** What signs for a wallet: a key in memory, a keystore, a KMS. */
export interface Signer {
  readonly address: Address;
  readonly signTransaction: (transaction: TransactionSerializableEIP1559) => Promise<{ raw: Hex; hash: Hex }>;
}

/** Signs with a raw key in memory. For the local profile. */
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
