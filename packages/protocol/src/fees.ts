import { SPECIFIED_ASSETS } from '@causeway/contracts/assets';
import { formatAmount, type Asset, type Direction } from './assets.js';
import { BridgeError } from './errors.js';

/** The withdrawal fee of an asset. The policy in force is the one stored in BridgeMint. */
export interface FeePolicy {
  /** Rate in basis points. */
  readonly bps: number;
  /** Minimum fee in atomic units. */
  readonly minFee: bigint;
  /** Minimum withdrawal in atomic units. */
  readonly minAmount: bigint;
}

/** The terms of the contract where an operation begins. Deposits are free and have no minimum. */
export interface QuoteTerms extends FeePolicy {
  /** Maximum amount of one operation, in atomic units. */
  readonly maxAmount: bigint;
}

/** The fees of the specification (Limits), with which a deployment begins. */
export const DEFAULT_FEE_POLICIES: Readonly<Record<keyof typeof SPECIFIED_ASSETS, FeePolicy>> = {
  ETH: SPECIFIED_ASSETS.ETH.fees,
  USDC: SPECIFIED_ASSETS.USDC.fees,
  XCN: SPECIFIED_ASSETS.XCN.fees,
};

/** Fee and output amount of a transfer in atomic units. `fee` + `outputAmount` equals the amount exactly. */
export interface FeeQuote {
  readonly fee: bigint;
  readonly outputAmount: bigint;
  /** Rate of the policy, not the effective rate when the minimum fee applies; 0 for deposits. */
  readonly bps: number;
  readonly minFeeApplied: boolean;
}

/**
 * Computes the fee of the specification (Limits). Deposits are free; a withdrawal costs
 * `max(amount * bps / 10000, minFee)`, rounded down to an atomic unit. `BridgeMint.quoteFee` is the same rule.
 *
 * @param amount atomic units of the asset, above 0.
 * @param field name of the amount in an error.
 * @throws BridgeError VALIDATION_ERROR for an amount of 0 or less, or above `maxAmount`; BELOW_MINIMUM for a withdrawal
 *   under `minAmount`.
 */
export function quoteFee(
  asset: Asset,
  terms: QuoteTerms,
  amount: bigint,
  direction: Direction,
  field = 'amount',
): FeeQuote {
  const { bps, minFee, minAmount, maxAmount } = terms;
  const isDeposit = direction === 'ETHEREUM_TO_PARTNER';
  if (isDeposit && amount <= 0n) throw new BridgeError('VALIDATION_ERROR', `${field} must be above 0`, { field });
  if (!isDeposit && amount < minAmount) {
    const message = `${field} is below the minimum of ${formatAmount(asset, minAmount)} ${asset}`;
    throw new BridgeError('BELOW_MINIMUM', message, { field });
  }
  if (amount > maxAmount) {
    const message = `${field} is above the maximum of ${formatAmount(asset, maxAmount)} ${asset}`;
    throw new BridgeError('VALIDATION_ERROR', message, { field });
  }
  if (isDeposit) return { fee: 0n, outputAmount: amount, bps: 0, minFeeApplied: false };
  const share = (amount * BigInt(bps)) / 10_000n;
  const minFeeApplied = share < minFee;
  const fee = minFeeApplied ? minFee : share;
  return { fee, outputAmount: amount - fee, bps, minFeeApplied };
}
