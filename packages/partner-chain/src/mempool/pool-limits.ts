/** How much the pool of waiting transactions may hold. */
export interface PoolLimits {
  readonly transactions: number;
  readonly bytes: number;
  /** Of one sender. */
  readonly perSender: number;
}

export const DEFAULT_POOL_LIMITS: PoolLimits = { transactions: 50_000, bytes: 64 * 1024 * 1024, perSender: 2_000 };

/** By how many percent a replacement must raise both prices, as in Ethereum's pools. */
export const REPLACEMENT_PERCENT = 10n;
