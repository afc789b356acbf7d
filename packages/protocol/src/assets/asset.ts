/** What the bridge moves (specification, Supported assets). */
export const ASSETS = ['ETH', 'USDC', 'XCN'] as const;

/** ETH, USDC or XCN. */
export type Asset = (typeof ASSETS)[number];

/** How an asset is written and divided. */
export interface AssetInfo {
  readonly symbol: Asset;
  /** Digits of an atomic unit in everything the bridge stores, signs and shows. */
  readonly decimals: number;
  /**
   * Amounts are multiples of this many atomic units. XCN has 8 decimals inside the partner chain's EVM, so an amount
   * that is not a multiple of 10^10 cannot exist there and is refused, never rounded.
   */
  readonly granularity: bigint;
  /** Digits a person may write after the point: `decimals` less the zeros of `granularity`. */
  readonly displayDecimals: number;
}

const INFO: Readonly<Record<Asset, AssetInfo>> = {
  ETH: { symbol: 'ETH', decimals: 18, granularity: 1n, displayDecimals: 18 },
  USDC: { symbol: 'USDC', decimals: 6, granularity: 1n, displayDecimals: 6 },
  XCN: { symbol: 'XCN', decimals: 18, granularity: 10n ** 10n, displayDecimals: 8 },
};

/** The facts of an asset. */
export function assetInfo(asset: Asset): AssetInfo {
  return INFO[asset];
}
