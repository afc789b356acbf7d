import type { OriginRecord } from '@causeway/store';
import { TransactionReceiptNotFoundError, type PublicClient } from 'viem';

/**
 * Asks the node once more, directly, whether the origin transaction succeeded in the very block we stored. The scan may
 * have been served by another node, or lie behind a reorg; before money moves, both must agree.
 */
export async function isOriginCanonical(
  client: PublicClient,
  origin: Pick<OriginRecord, 'txHash' | 'blockHash'>,
): Promise<boolean> {
  try {
    const receipt = await client.getTransactionReceipt({ hash: origin.txHash });
    return receipt.blockHash === origin.blockHash && receipt.status === 'success';
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return false;
    throw error;
  }
}
