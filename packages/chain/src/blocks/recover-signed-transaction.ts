import {
  keccak256,
  recoverTransactionAddress,
  serializeTransaction,
  type Address,
  type Hex,
  type PublicClient,
  type TransactionSerializable,
} from 'viem';

/** What the signature of a transaction covers, and who signed. */
export interface SignedTerms {
  readonly hash: Hex;
  readonly from: Address;
  readonly to: Address | null;
  readonly value: bigint;
}

/**
 * Serializes a transaction anew from the fields the node tells, computes its hash and recovers its sender. Legacy,
 * EIP-2930 and EIP-1559 transactions, which are all that pay the relayer wallet.
 */
export async function recoverSignedTransaction(client: PublicClient, hash: Hex): Promise<SignedTerms> {
  const transaction = await client.getTransaction({ hash });
  const { to, value, nonce, gas, input: data, chainId } = transaction;
  const shared = { to, value, nonce, gas, data };
  const fields: TransactionSerializable =
    transaction.type === 'legacy'
      ? { ...shared, type: 'legacy', gasPrice: transaction.gasPrice, ...(chainId === undefined ? {} : { chainId }) }
      : transaction.type === 'eip2930'
        ? {
            ...shared,
            type: 'eip2930',
            gasPrice: transaction.gasPrice,
            chainId: transaction.chainId,
            accessList: transaction.accessList,
          }
        : {
            ...shared,
            type: 'eip1559',
            chainId: transaction.chainId ?? 0,
            accessList: transaction.accessList ?? [],
            maxFeePerGas: transaction.maxFeePerGas ?? 0n,
            maxPriorityFeePerGas: transaction.maxPriorityFeePerGas ?? 0n,
          };
  const { r, s, v, yParity } = transaction;
  const signature = yParity === undefined || fields.type === 'legacy' ? { r, s, v } : { r, s, yParity };
  const serialized = serializeTransaction(fields, signature);
  const from = await recoverTransactionAddress({ serializedTransaction: serialized });
  return { hash: keccak256(serialized), from, to, value };
}
