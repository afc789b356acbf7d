import { BridgeError } from '../errors/bridge-error.js';
import type { Asset } from './asset.js';

declare const brand: unique symbol;

/** An amount in atomic units of one asset; an amount of another asset does not fit in its place. */
export type Atomic<A extends Asset = Asset> = bigint & { readonly [brand]: A };

const MAX_UINT256 = 2n ** 256n - 1n;

/**
 * Takes a bigint as an amount of an asset.
 *
 * @throws BridgeError VALIDATION_ERROR (field `amount`) below 0 or above 2^256 - 1.
 */
export function atomic<A extends Asset>(asset: A, units: bigint): Atomic<A> {
  if (units < 0n || units > MAX_UINT256) {
    throw new BridgeError('VALIDATION_ERROR', `amount of ${asset} must be from 0 to 2^256 - 1 units`, {
      field: 'amount',
    });
  }
  return units as Atomic<A>;
}
