import type { JournalledTransaction, Store } from '@causeway/store';
import { TransactionReceiptNotFoundError, type Hex, type PublicClient, type TransactionReceipt } from 'viem';
import type { BridgeChain } from '../bridge-chain.js';

/** The mined transaction of a nonce. */
export interface Mined {
  readonly hash: Hex;
  readonly purpose: JournalledTransaction['purpose'];
  readonly receipt: TransactionReceipt;
}

/**
 * Searches the chain for the nonce of a journalled transaction: the transaction itself, one that it replaced, or one
 * that replaced it.
 *
 * @returns null when none of them is mined.
 */
export async function findMined(
  store: Store,
  client: PublicClient,
  entry: JournalledTransaction,
): Promise<Mined | null> {
  const siblings = await store.journal.withNonce({ chainId: entry.chainId, address: entry.sender }, entry.nonce);
  for (const { hash, purpose } of siblings) {
    try {
      return { hash, purpose, receipt: await client.getTransactionReceipt({ hash }) };
    } catch (error) {
      if (!(error instanceof TransactionReceiptNotFoundError)) throw error;
    }
  }
  return null;
}

/**
 * Checks whether a final block used the nonce of a journalled transaction for a transaction outside the journal. Then
 * the journalled one can never be mined.
 */
export async function isNonceTaken(store: Store, chain: BridgeChain, entry: JournalledTransaction): Promise<boolean> {
  const { client } = chain.connection;
  const head = await client.getBlockNumber({ cacheTime: 0 });
  const finalBlock = head - BigInt(chain.confirmations) + 1n;
  const usedFinally =
    finalBlock > 0n &&
    BigInt(await client.getTransactionCount({ address: entry.sender, blockNumber: finalBlock })) > entry.nonce;
  return usedFinally && (await findMined(store, client, entry)) === null;
}
