import { formatUnits, parseUnits } from 'viem';
import { BridgeError } from './errors.js';

/** The assets of the bridge (specification, Supported assets). */
export const ASSETS = ['ETH', 'USDC', 'XCN'] as const;

/** ETH, USDC or XCN. */
export type Asset = (typeof ASSETS)[number];

/** The two ways of an operation (specification, Resources). */
export const DIRECTIONS = ['ETHEREUM_TO_PARTNER', 'PARTNER_TO_ETHEREUM'] as const;

/** From Ethereum to the partner chain, or back. */
export type Direction = (typeof DIRECTIONS)[number];

/** How an asset is written and divided. */
export interface AssetInfo {
  readonly symbol: Asset;
  /** Decimals of an atomic unit in everything the bridge stores, signs and shows. */
  readonly decimals: number;
  /**
   * Amounts are multiples of this many atomic units. XCN has 8 decimals inside the partner chain's EVM, so an amount
   * that is not a multiple of 10^10 cannot exist there. The bridge refuses it and never rounds.
   */
  readonly granularity: bigint;
  /**
   * Arrivals at the relayer wallet below this many atomic units are dust: their gas would cost more than a refund pays.
   * They are summed per payer. The minimum of every operation is far above it.
   */
  readonly dust: bigint;
  /** Digits allowed after the point: `decimals` less the zeros of `granularity`. */
  readonly displayDecimals: number;
}

const INFO: Readonly<Record<Asset, AssetInfo>> = {
  ETH: { symbol: 'ETH', decimals: 18, granularity: 1n, dust: 10n ** 13n, displayDecimals: 18 },
  USDC: { symbol: 'USDC', decimals: 6, granularity: 1n, dust: 10n ** 4n, displayDecimals: 6 },
  XCN: { symbol: 'XCN', decimals: 18, granularity: 10n ** 10n, dust: 10n ** 16n, displayDecimals: 8 },
};

/** Decimals and granularity of an asset. */
export function assetInfo(asset: Asset): AssetInfo {
  return INFO[asset];
}

/**
 * Writes atomic units as a plain decimal without trailing zeros.
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
 * Reads an amount written by a person: digits with at most one point, no sign, no exponent, no separators. It may have
 * no more digits after the point than the asset has: 18 for ETH, 6 for USDC, 8 for XCN.
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
