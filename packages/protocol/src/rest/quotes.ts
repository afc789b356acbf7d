import { z } from 'zod';
import { amountText, asset, decimalText, direction } from './fields.js';

/** `GET /bridge/fee-quote`. `amount` is a plain decimal; `parseAmount` checks its digits against the asset. */
export const feeQuoteQuerySchema = z.strictObject({
  token: asset,
  amount: z.string('must be a plain decimal such as 12.5'),
  direction,
});
/** A query of `GET /bridge/fee-quote`; its amount is still text. */
export type FeeQuoteQuery = z.output<typeof feeQuoteQuerySchema>;

/** Fee and output amount of a transfer that has not begun. */
export const feeQuoteResponseSchema = z.object({
  token: asset,
  direction,
  inputAmount: amountText,
  inputAmountFormatted: decimalText,
  feeAmount: amountText,
  feeAmountFormatted: decimalText,
  feeBps: z.int(),
  outputAmount: amountText,
  outputAmountFormatted: decimalText,
  minimumAmount: amountText,
  /** The highest amount of one operation. */
  maximumAmount: amountText,
  /** Whether no operation of this direction can begin now. */
  paused: z.boolean(),
  estimatedSeconds: z.int(),
});
/** The body of `GET /bridge/fee-quote`. */
export type FeeQuoteResponse = z.output<typeof feeQuoteResponseSchema>;

const assetLimits = z.object({
  token: asset,
  feeBps: z.int(),
  minimumFee: amountText,
  minimumFeeFormatted: decimalText,
  minimumAmount: amountText,
  minimumAmountFormatted: decimalText,
  /** The highest amount of one operation. */
  maximumAmount: amountText,
  maximumAmountFormatted: decimalText,
  /** Whether operations of this asset may begin. False while it is wound down: those that have begun are delivered. */
  mayBegin: z.boolean(),
  /** The amount that may leave the destination contract now; above it, deliveries are delayed. */
  outflowRoom: amountText,
  outflowRoomFormatted: decimalText,
});

const directionLimits = z.object({
  /** Whether no operation of this direction can begin now. */
  paused: z.boolean(),
  requiredConfirmations: z.int(),
  holdSeconds: z.int(),
  estimatedSeconds: z.int(),
  assets: z.array(assetLimits),
});

/** `GET /bridge/limits`. */
export const limitsResponseSchema = z.object({
  ETHEREUM_TO_PARTNER: directionLimits,
  PARTNER_TO_ETHEREUM: directionLimits,
});
/** The body of `GET /bridge/limits`. */
export type LimitsResponse = z.output<typeof limitsResponseSchema>;
