import type { JournalledTransaction, Store } from '@causeway/store';
import { TransactionReceiptNotFoundError, type Hex, type PublicClient, type TransactionReceipt } from 'viem';

/** Which of the transactions of a nonce was mined. */
export interface Mined {
  readonly hash: Hex;
  readonly purpose: JournalledTransaction['purpose'];
  readonly receipt: TransactionReceipt;
}

/**
 * Looks for the nonce of a journalled transaction on the chain: the transaction itself, one it replaced, or one that
 * replaced it.
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
