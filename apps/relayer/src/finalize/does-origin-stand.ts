import { confirmations } from '@causeway/protocol';
import type { Operation, Store } from '@causeway/store';
import type { BridgeChain } from '../world/bridge-chain.js';
import { isOriginCanonical } from './is-origin-canonical.js';

/**
 * Whether the origin of a final operation is still on the chain, with all its confirmations: asked whenever money is about
 * to move. After a reorg of what was final that an operator accepted, the origin may be gone, or stand in a younger block.
 */
export async function doesOriginStand(store: Store, chain: BridgeChain, operation: Operation): Promise<boolean> {
  const { origin, requiredConfirmations } = operation;
  const newest = await store.scan.latestBlock(chain.chainId);
  if (origin === null || newest === null) return false;
  const required = Math.max(requiredConfirmations, chain.confirmations);
  if (confirmations(newest.number, origin.blockNumber) < required) return false;
  return isOriginCanonical(chain.connection.client, origin);
}
