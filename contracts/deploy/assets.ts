/** The symbol of an asset, such as USDC. A process knows those of its table. */
export type Asset = string;

/** How an asset is counted, and where it is a coin. */
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
  /** The side whose coin it is; null for an ERC-20 token on both sides. On every other side it is an ERC-20 token. */
  readonly coinOf: 'ethereum' | 'partner' | null;
}

/** The assets of the specification (Supported assets), and the fees with which a deployment begins (Limits). */
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

/** An ERC-20 token on both sides, as an address book names it. */
export interface FurtherAsset {
  readonly decimals: number;
  /** In atomic units. Arrivals at the relayer wallet below it are summed per payer, and not refunded one by one. */
  readonly dust: string;
}

let table: ReadonlyMap<Asset, AssetInfo> = new Map(Object.entries(SPECIFIED_ASSETS));

/** Sets the table of this process: the assets of the specification, and those that the address book adds to them. */
export function setAssets(further: Readonly<Record<Asset, FurtherAsset>> = {}): void {
  const added = Object.entries(further).map(([symbol, { decimals, dust }]) => {
    const info = { symbol, decimals, granularity: 1n, dust: BigInt(dust), displayDecimals: decimals, coinOf: null };
    return [symbol, info] as const;
  });
  table = new Map<Asset, AssetInfo>([...Object.entries(SPECIFIED_ASSETS), ...added]);
}

/** All symbols of the table, those of the specification first. */
export function listAssets(): readonly Asset[] {
  return [...table.keys()];
}

/**
 * The row of an asset in the table.
 *
 * @throws Error for a symbol that the table lacks.
 */
export function assetInfo(asset: Asset): AssetInfo {
  const info = table.get(asset);
  if (info === undefined) throw new Error(`Unknown asset ${asset}: the address book names ${listAssets().join(', ')}`);
  return info;
}

/** A value for each asset of the table; always for those of the specification. */
export type PerAsset<T> = Readonly<Record<Asset, T> & Record<keyof typeof SPECIFIED_ASSETS, T>>;

/**
 * The value of one asset.
 *
 * @throws Error for an asset without a value.
 */
export function pickAsset<T>(values: Readonly<Record<Asset, T>>, asset: Asset): T {
  const value = values[asset];
  if (value === undefined) throw new Error(`No value of ${asset}`);
  return value;
}

/** The symbol of a chain's coin. */
export function getCoin(side: 'ethereum' | 'partner'): 'ETH' | 'XCN' {
  return side === 'ethereum' ? 'ETH' : 'XCN';
}
