/** The symbol of an asset, such as USDC. `setAssets` sets the symbols that a process knows. */
export type Asset = string;

/** The units of an asset, and the side on which it is the native coin. */
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
   * Arrivals at the relayer wallet below this many atomic units are dust: a refund would cost more gas than it pays.
   * They are summed per payer. The minimum of every operation is far above.
   */
  readonly dust: bigint;
  /** Digits allowed after the point: `decimals` less the zeros of `granularity`. */
  readonly displayDecimals: number;
  /**
   * The side whose native coin it is; on the other side it is an ERC-20 token. Null for an ERC-20 token on both sides.
   */
  readonly coinOf: 'ethereum' | 'partner' | null;
}

/** The assets of the specification (Supported assets), with the initial fees of a deployment (Limits). */
export const SPECIFIED_ASSETS = {
  ETH: {
    symbol: 'ETH',
    decimals: 18,
    granularity: 1n,
    dust: 10n ** 13n,
    displayDecimals: 18,
    coinOf: 'ethereum',
    fees: { bps: 25, minFee: 3n * 10n ** 15n, minAmount: 10n ** 16n },
  },
  USDC: {
    symbol: 'USDC',
    decimals: 6,
    granularity: 1n,
    dust: 10n ** 4n,
    displayDecimals: 6,
    coinOf: null,
    fees: { bps: 25, minFee: 5n * 10n ** 6n, minAmount: 10n * 10n ** 6n },
  },
  XCN: {
    symbol: 'XCN',
    decimals: 18,
    granularity: 10n ** 10n,
    dust: 10n ** 16n,
    displayDecimals: 8,
    coinOf: 'partner',
    fees: { bps: 25, minFee: 1_000n * 10n ** 18n, minAmount: 5_000n * 10n ** 18n },
  },
} as const satisfies Readonly<Record<Asset, AssetInfo & { readonly fees: object }>>;

/** An ERC-20 token on both sides, in the form of the address book. */
export interface FurtherAsset {
  readonly decimals: number;
  /** In atomic units. Arrivals at the relayer wallet below it are summed per payer instead of refunded one by one. */
  readonly dust: string;
}

let table: ReadonlyMap<Asset, AssetInfo> = new Map(Object.entries(SPECIFIED_ASSETS));

/** Sets the assets of this process: those of the specification, and those that the address book adds. */
export function setAssets(further: Readonly<Record<Asset, FurtherAsset>> = {}): void {
  const added = Object.entries(further).map(([symbol, { decimals, dust }]) => {
    const info = { symbol, decimals, granularity: 1n, dust: BigInt(dust), displayDecimals: decimals, coinOf: null };
    return [symbol, info] as const;
  });
  table = new Map<Asset, AssetInfo>([...Object.entries(SPECIFIED_ASSETS), ...added]);
}

/** The symbols of all assets, those of the specification first. */
export function listAssets(): readonly Asset[] {
  return [...table.keys()];
}

/**
 * The units of an asset.
 *
 * @throws Error for an unknown symbol.
 */
export function assetInfo(asset: Asset): AssetInfo {
  const info = table.get(asset);
  if (info === undefined) throw new Error(`Unknown asset ${asset}; the address book has ${listAssets().join(', ')}`);
  return info;
}

/** A value per asset, always with those of the specification. */
export type PerAsset<T> = Readonly<Record<Asset, T> & Record<keyof typeof SPECIFIED_ASSETS, T>>;

/**
 * The value of one asset.
 *
 * @throws Error for an asset without a value.
 */
export function pickAsset<T>(values: Readonly<Record<Asset, T>>, asset: Asset): T {
  const value = values[asset];
  if (value === undefined) throw new Error(`There is no value for ${asset}`);
  return value;
}

/** The symbol of a side's native coin. */
export function getCoin(side: 'ethereum' | 'partner'): 'ETH' | 'XCN' {
  return side === 'ethereum' ? 'ETH' : 'XCN';
}
