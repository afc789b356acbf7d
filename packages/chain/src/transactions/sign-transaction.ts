import type { Address, Hex } from 'viem';
import type { Signer } from '../signers/signer.js';

/** Fees of an EIP-1559 transaction, in wei per gas. */
export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** A signed transaction and its terms. Fees in wei per gas. */
export interface SignedTransactionRecord extends Fees {
  readonly hash: Hex;
  readonly raw: Hex;
  readonly nonce: bigint;
  readonly gas: bigint;
}

/** Signs an EIP-1559 transaction without sending it. `value` in wei of the RPC. */
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
