import { formatUnits } from 'viem';
import { assetInfo, type Asset } from './asset.js';

/**
 * Writes atomic units as a plain decimal without trailing zeros.
 *
 * @example
 * ```ts
 * formatAmount('USDC', 12_500_000n); // '12.5'
 * ```
 */
export function formatAmount(asset: Asset, units: bigint): string {
  return formatUnits(units, assetInfo(asset).decimals);
}
