import type { Address } from 'viem';
import type { Prisma } from '../generated/prisma/client.js';

/** The wallet of a chain. */
export interface Wallet {
  readonly chainId: number;
  readonly address: Address;
}

/**
 * Gives the next nonce of a wallet in the caller's transaction: when that fails, the nonce is not used up.
 *
 * @param chainNonce the wallet's next nonce as the chain knows it: never go below, should the database be an old copy.
 */
export async function reserveNonce(tx: Prisma.TransactionClient, wallet: Wallet, chainNonce: bigint): Promise<bigint> {
  const key = { chainId: wallet.chainId, address: wallet.address };
  await tx.walletNonce.createMany({ data: { ...key, nextNonce: chainNonce }, skipDuplicates: true });
  const [row] = await tx.$queryRaw<{ next_nonce: bigint }[]>`
    UPDATE wallet_nonce SET next_nonce = greatest(next_nonce, ${chainNonce}) + 1
    WHERE chain_id = ${key.chainId} AND address = ${key.address} RETURNING next_nonce`;
  if (row === undefined) throw new Error(`No nonce row for ${key.address} on chain ${key.chainId}`);
  return row.next_nonce - 1n;
}
