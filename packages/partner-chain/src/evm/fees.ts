const GWEI = 10n ** 9n;

/** One priority of the specification's "Gas references". */
export interface FeeLevel {
  /** Price of a unit of gas in wei, base fee included. */
  readonly gasPrice: bigint;
  /** Part of the price above the base fee, in wei. */
  readonly maxPriorityFeePerGas: bigint;
  /** Time until a transaction at this price is confirmed, in seconds. */
  readonly confirmationSeconds: { readonly min: number; readonly max: number };
}

/** Base fee of every block in wei, the lowest price that the chain accepts. It is constant; tips order the queue. */
export const BASE_FEE_PER_GAS = GWEI / 2n;

/** Prices by priority (specification "Gas references"), each the base fee plus a tip. */
export const FEE_LEVELS = {
  low: level(GWEI / 2n, 10, 30),
  standard: level(GWEI, 3, 10),
  fast: level(2n * GWEI, 0, 3),
  instant: level(5n * GWEI, 0, 2),
} as const satisfies Record<string, FeeLevel>;

/** Gas of usual operations (specification "Gas references"). */
export const GAS_REFERENCES = {
  simpleTransfer: 21_000n,
  newAccountTransfer: 587_000n,
  erc20Transfer: 65_000n,
  contractDeploy: 500_000n,
  complexInteraction: 300_000n,
} as const;

/**
 * Gas for each account that a transaction creates by sending it coin or tokens, in addition to its ordinary gas
 * (specification "Gas rule (lazy account creation)": about 587,000 instead of about 21,000).
 */
export const LAZY_ACCOUNT_GAS = GAS_REFERENCES.newAccountTransfer - GAS_REFERENCES.simpleTransfer;

/** Computes the price of a unit of gas in wei: base fee plus tip, within the sender's cap (EIP-1559). */
export function effectiveGasPrice(
  price: { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint },
  baseFeePerGas: bigint,
): bigint {
  const withTip = baseFeePerGas + price.maxPriorityFeePerGas;
  return withTip < price.maxFeePerGas ? withTip : price.maxFeePerGas;
}

function level(gasPrice: bigint, min: number, max: number): FeeLevel {
  return { gasPrice, maxPriorityFeePerGas: gasPrice - BASE_FEE_PER_GAS, confirmationSeconds: { min, max } };
}
