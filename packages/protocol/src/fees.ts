import { SPECIFIED_ASSETS } from '@causeway/contracts/assets';
import { formatAmount, type Asset, type Direction } from './assets.js';
import { BridgeError } from './errors.js';

/** The fee of a withdrawal of an asset. The live policy is in BridgeMint, the one source of truth. */
export interface FeePolicy {
  /** Rate in basis points. */
  readonly bps: number;
  /** The least fee, in atomic units. */
  readonly minFee: bigint;
  /** The least amount that may be withdrawn, in atomic units. */
  readonly minAmount: bigint;
}

/** The terms of an operation at the contract where it begins. Deposits are free and have no minimum. */
export interface QuoteTerms extends FeePolicy {
  /** The highest amount of one operation, in atomic units. */
  readonly maxAmount: bigint;
}

/** The figures of the specification (Limits). A deployment begins with them. */
export const DEFAULT_FEE_POLICIES: Readonly<Record<keyof typeof SPECIFIED_ASSETS, FeePolicy>> = {
  ETH: SPECIFIED_ASSETS.ETH.fees,
  USDC: SPECIFIED_ASSETS.USDC.fees,
  XCN: SPECIFIED_ASSETS.XCN.fees,
};

/** Fee and output amount of a transfer in atomic units. `fee` + `outputAmount` equals the amount exactly. */
export interface FeeQuote {
  readonly fee: bigint;
  readonly outputAmount: bigint;
  /** The rate of the policy; 0 for deposits. Not the effective rate when the minimum fee applies. */
  readonly bps: number;
  readonly minFeeApplied: boolean;
}

/**
 * The fee of the specification (Limits): deposits are free; a withdrawal costs `max(amount * bps / 10000, minFee)`, the
 * division rounded down to a whole atomic unit. `BridgeMint.quoteFee` computes and refuses the same in Solidity.
 *
 * @param amount atomic units of the asset, above 0.
 * @param field name of the amount in the error.
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
