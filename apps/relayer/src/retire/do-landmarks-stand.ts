import { confirmations } from '@causeway/protocol';
import type { EvidenceTransaction, RetirementEvidence, Store } from '@causeway/store';
import { isOriginCanonical } from '../finalize/is-origin-canonical.js';
import type { BridgeChain, BridgeChains } from '../world/bridge-chain.js';

/**
 * Whether both nodes still have the newest burn and the newest release of some withdrawals where they were read, with all
 * their confirmations. The blocks that were read are linked by their hashes, so the older ones stand with these. After a
 * reorg that an operator accepted, a release may be on the chain again in a younger block.
 */
export async function doLandmarksStand(
  store: Store,
  { ethereum, partner }: BridgeChains,
  { burn, release }: RetirementEvidence,
): Promise<boolean> {
  return (await stands(store, partner, burn)) && (await stands(store, ethereum, release));
}

async function stands(store: Store, chain: BridgeChain, landmark: EvidenceTransaction): Promise<boolean> {
  const newest = await store.scan.latestBlock(chain.chainId);
  if (newest === null || confirmations(newest.number, landmark.blockNumber) < chain.confirmations) return false;
  return isOriginCanonical(chain.connection.client, landmark);
}
