import { assetInfo, type Asset } from '@causeway/contracts/assets';
import { formatUnits, parseUnits } from 'viem';
import { BridgeError } from './errors.js';

export {
  assetInfo,
  getCoin,
  listAssets,
  pickAsset,
  setAssets,
  type Asset,
  type AssetInfo,
  type PerAsset,
} from '@causeway/contracts/assets';

/** The directions of an operation (specification, Resources). */
export const DIRECTIONS = ['ETHEREUM_TO_PARTNER', 'PARTNER_TO_ETHEREUM'] as const;

/** From Ethereum to the partner chain, or back. */
export type Direction = (typeof DIRECTIONS)[number];

/**
 * Formats atomic units as a plain decimal without trailing zeros.
 *
 * @example
 * ```ts
 * formatAmount('USDC', 12_500_000n); // '12.5'
 * ```
 */
export function formatAmount(asset: Asset, amount: bigint): string {
  return formatUnits(amount, assetInfo(asset).decimals);
}

const PLAIN_DECIMAL = /^(0|[1-9]\d{0,77})(\.(\d+))?$/;
const MAX_UINT256 = 2n ** 256n - 1n;

/**
 * Parses an amount entered by a user: digits with at most one decimal point; no sign, exponent or separators. Maximum
 * decimals: 18 for ETH, 6 for USDC, 8 for XCN.
 *
 * @returns the amount in atomic units, from 0 to 2^256 - 1.
 * @throws BridgeError VALIDATION_ERROR (field `amount`).
 * @example
 * ```ts
 * parseAmount('USDC', '12.5'); // 12_500_000n
 * ```
 */
export function parseAmount(asset: Asset, text: string): bigint {
  const match = PLAIN_DECIMAL.exec(text);
  if (match === null)
    throw refuse(`amount must be a plain decimal such as 12.5, not ${JSON.stringify(text.slice(0, 40))}`);
  const { decimals, displayDecimals } = assetInfo(asset);
  if ((match[3] ?? '').length > displayDecimals) {
    throw refuse(`amount has more digits after the point than ${asset} has (${displayDecimals})`);
  }
  const amount = parseUnits(text, decimals);
  if (amount > MAX_UINT256) throw refuse(`amount of ${asset} must be at most 2^256 - 1 units`);
  return amount;
}

function refuse(message: string): BridgeError {
  return new BridgeError('VALIDATION_ERROR', message, { field: 'amount' });
}
