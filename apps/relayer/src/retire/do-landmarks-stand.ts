import type { Landmarks } from '@causeway/store';
import { isOriginCanonical } from '../finalize/is-origin-canonical.js';
import type { BridgeChains } from '../world/bridge-chain.js';

/**
 * Whether both nodes still have the newest burn and the newest release of some withdrawals where they were read. The
 * blocks that were read are linked by their hashes, so the older ones stand with these.
 */
export async function doLandmarksStand(
  { ethereum, partner }: BridgeChains,
  { burn, release }: Landmarks,
): Promise<boolean> {
  return (
    (await isOriginCanonical(partner.connection.client, burn)) &&
    (await isOriginCanonical(ethereum.connection.client, release))
  );
}
