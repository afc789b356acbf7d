import { z } from 'zod';
import { UNDELIVERABLE_REASONS, type FeeQuoteResponse, type LimitsResponse } from '../answers/quotes.js';
import { address, amountText, asset, decimalText, direction, feeBps, timestamp } from './fields.js';
import { warningsSchema } from './warnings.js';

/** Whether an amount could be delivered now, after all operations that wait already. */
export const deliverabilityFields = {
  deliverable: z
    .boolean()
    .describe('Whether the amount could be delivered now. Otherwise it is delayed, and not lost.'),
  undeliverableReason: z.enum(UNDELIVERABLE_REASONS).nullable().describe('Why not; null when it can be.'),
  deliverableAt: timestamp
    .nullable()
    .describe('When it can be delivered; null when it can be now, or when the time is unknown.'),
};

/** `GET /bridge/fee-quote`. `amount` is a plain decimal; `parseAmount` checks its digits against the asset. */
export const feeQuoteQuerySchema = z.strictObject({
  token: asset,
  amount: z.string('must be a plain decimal such as 12.5').describe('A plain decimal, in whole coins.'),
  direction,
  sender: address.optional().describe('With it, the answer has warnings about the sender.'),
  recipient: address.optional().describe('With it, the answer has warnings about the recipient.'),
});
/** A query of `GET /bridge/fee-quote`; its amount is still text. */
export type FeeQuoteQuery = z.output<typeof feeQuoteQuerySchema>;

/** Fee and output amount of a transfer that has not begun. */
export const feeQuoteResponseSchema = z.object({
  token: asset,
  direction,
  inputAmount: amountText.describe('Paid by the sender, in atomic units.'),
  inputAmountFormatted: decimalText,
  feeAmount: amountText.describe('The fee, in atomic units.'),
  feeAmountFormatted: decimalText,
  feeBps: feeBps.describe('The rate of the fee in hundredths of a percent; 0 for deposits.'),
  outputAmount: amountText.describe('Delivered to the recipient, in atomic units.'),
  outputAmountFormatted: decimalText,
  minimumAmount: amountText.describe('The lowest amount of one operation, in atomic units.'),
  maximumAmount: amountText.describe('The highest amount of one operation.'),
  availableAmount: amountText.describe('The highest amount that could be delivered now.'),
  availableAmountFormatted: decimalText,
  paused: z.boolean().describe('Whether no operation of this direction can begin now.'),
  ...deliverabilityFields,
  estimatedSeconds: z
    .int()
    .nullable()
    .describe('Null while the direction is paused, and when the time of the delivery is unknown.'),
  warnings: warningsSchema.optional(),
}) satisfies z.ZodType<FeeQuoteResponse>;

const assetLimits = z.object({
  token: asset,
  feeBps,
  minimumFee: amountText.describe('The lowest fee, in atomic units.'),
  minimumFeeFormatted: decimalText,
  minimumAmount: amountText.describe('The lowest amount of one operation, in atomic units.'),
  minimumAmountFormatted: decimalText,
  maximumAmount: amountText.describe('The highest amount of one operation.'),
  maximumAmountFormatted: decimalText,
  mayBegin: z
    .boolean()
    .describe(
      'Whether operations of this asset may begin. False while it is closed: those that have begun are delivered.',
    ),
  availableAmount: amountText.describe(
    'The highest amount that could be delivered now; above it, deliveries are delayed.',
  ),
  availableAmountFormatted: decimalText,
  outflowRoom: amountText.describe('The part of it that the outflow limit of the destination contract leaves.'),
  outflowRoomFormatted: decimalText,
});

const directionLimits = z.object({
  paused: z.boolean().describe('Whether no operation of this direction can begin now.'),
  deliveriesPaused: z.boolean().describe('Whether nothing of this direction is delivered now. What begins is delayed.'),
  undeliverableReason: z
    .enum(UNDELIVERABLE_REASONS)
    .nullable()
    .describe('Why nothing of this direction is delivered now; null while deliveries run.'),
  requiredConfirmations: z.int().describe('Confirmations after which an origin is final.'),
  holdSeconds: z.int().describe('Security hold after them.'),
  estimatedSeconds: z
    .int()
    .nullable()
    .describe('Of an amount that can be delivered. Null while beginnings or deliveries are paused.'),
  assets: z.array(assetLimits).describe('One for each asset.'),
});

/** `GET /bridge/limits`. */
export const limitsResponseSchema = z.object({
  ETHEREUM_TO_PARTNER: directionLimits.describe('Deposits.'),
  PARTNER_TO_ETHEREUM: directionLimits.describe('Withdrawals.'),
}) satisfies z.ZodType<LimitsResponse>;
