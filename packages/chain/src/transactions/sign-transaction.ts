import { keccak256, type Address, type Hex, type TransactionSerializableEIP1559 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { Fees } from './fees.js';

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

/** A signed transaction and its terms. Fees in wei per gas. */
export interface SignedTransactionRecord extends Fees {
  readonly hash: Hex;
  readonly raw: Hex;
  readonly nonce: bigint;
  readonly gas: bigint;
}

/** Signs an EIP-1559 transaction with a given nonce. Does not send it. `value` in wei of the RPC. */
export async function signTransaction(
  signer: Signer,
  chainId: number,
  call: { readonly to: Address; readonly data: Hex; readonly value: bigint },
  terms: Fees & { readonly nonce: bigint; readonly gas: bigint },
): Promise<SignedTransactionRecord> {
  const { nonce, gas, maxFeePerGas, maxPriorityFeePerGas } = terms;
  const { to, data, value } = call;
  const signed = await signer.signTransaction({
    type: 'eip1559',
    chainId,
    to,
    data,
    value,
    nonce: Number(nonce),
    gas,
    maxFeePerGas,
    maxPriorityFeePerGas,
  });
  return { ...signed, nonce, gas, maxFeePerGas, maxPriorityFeePerGas };
}
