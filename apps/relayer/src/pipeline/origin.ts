import { confirmations } from '@causeway/protocol';
import type { EvidenceTransaction, RetirementEvidence, Operation, OriginRecord, Store } from '@causeway/store';
import { TransactionReceiptNotFoundError, type PublicClient } from 'viem';
import type { BridgeChain, BridgeChains } from '../bridge-chain.js';

/**
 * Asks the node directly whether the origin transaction succeeded in the stored block. Another node may have served the
 * scan, or the scan may lag behind a reorg. Both must agree before money moves.
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

/**
 * Checks that the origin of an operation is canonical and has all its confirmations. Called whenever money is about to
 * move: after an accepted reorg the origin may be gone, or in a younger block.
 */
export async function isOriginFinal(store: Store, chain: BridgeChain, operation: Operation): Promise<boolean> {
  const { origin, requiredConfirmations } = operation;
  if (origin === null) return false;
  return isFinal(store, chain, origin, Math.max(requiredConfirmations, chain.confirmations));
}

/**
 * Checks that the newest burn and the newest release behind a retirement are canonical and have all their
 * confirmations. Stored blocks are linked by their hashes, so the older burns and releases are canonical as well.
 */
export async function isEvidenceFinal(
  store: Store,
  { ethereum, partner }: BridgeChains,
  { burn, release }: RetirementEvidence,
): Promise<boolean> {
  return (
    (await isFinal(store, partner, burn, partner.confirmations)) &&
    (await isFinal(store, ethereum, release, ethereum.confirmations))
  );
}

async function isFinal(
  store: Store,
  chain: BridgeChain,
  seen: EvidenceTransaction,
  required: number,
): Promise<boolean> {
  const newest = await store.scan.latestBlock(chain.chainId);
  if (newest === null || confirmations(newest.number, seen.blockNumber) < required) return false;
  return isOriginCanonical(chain.connection.client, seen);
}
