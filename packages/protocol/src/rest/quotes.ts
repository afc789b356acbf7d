import { z } from 'zod';
import { UNDELIVERABLE_REASONS, type FeeQuoteResponse, type LimitsResponse } from '../answers/quotes.js';
import { address, amountText, asset, decimalText, direction, feeBps, timestamp } from './fields.js';
import { warningsSchema } from './warnings.js';

/** Whether an amount could be delivered now, after all pending operations. */
export const deliverabilityFields = {
  deliverable: z
    .boolean()
    .describe('Whether the amount could be delivered now. If false, the delivery is delayed, not lost.'),
  undeliverableReason: z.enum(UNDELIVERABLE_REASONS).nullable().describe('Null when `deliverable` is true.'),
  deliverableAt: timestamp
    .nullable()
    .describe('When the amount can be delivered; null when deliverable now or when the time is unknown.'),
};

/** `GET /bridge/fee-quote`. `amount` is a plain decimal; `parseAmount` checks its digits against the asset. */
export const feeQuoteQuerySchema = z.strictObject({
  token: asset,
  amount: z.string('must be a plain decimal such as 12.5').describe('A plain decimal, in whole coins.'),
  direction,
  sender: address.optional().describe('Adds warnings about the sender.'),
  recipient: address.optional().describe('Adds warnings about the recipient.'),
});
/** A query of `GET /bridge/fee-quote`; its amount is still text. */
export type FeeQuoteQuery = z.output<typeof feeQuoteQuerySchema>;

/** Fee and output amount of a future transfer. */
export const feeQuoteResponseSchema = z.object({
  token: asset,
  direction,
  inputAmount: amountText.describe('Paid by the sender, in atomic units.'),
  inputAmountFormatted: decimalText,
  feeAmount: amountText.describe('The fee, in atomic units.'),
  feeAmountFormatted: decimalText,
  feeBps: feeBps.describe('Fee rate in hundredths of a percent; 0 for deposits.'),
  outputAmount: amountText.describe('Delivered to the recipient, in atomic units.'),
  outputAmountFormatted: decimalText,
  minimumAmount: amountText.describe('Minimum amount of one operation, in atomic units.'),
  maximumAmount: amountText.describe('Maximum amount of one operation.'),
  availableAmount: amountText.describe('Maximum amount that could be delivered now.'),
  availableAmountFormatted: decimalText,
  paused: z.boolean().describe('True while no operation of this direction can begin.'),
  ...deliverabilityFields,
  estimatedSeconds: z.int().nullable().describe('Null while the direction is paused or the delivery time is unknown.'),
  warnings: warningsSchema.optional(),
}) satisfies z.ZodType<FeeQuoteResponse>;

const assetLimits = z.object({
  token: asset,
  feeBps,
  minimumFee: amountText.describe('Minimum fee, in atomic units.'),
  minimumFeeFormatted: decimalText,
  minimumAmount: amountText.describe('Minimum amount of one operation, in atomic units.'),
  minimumAmountFormatted: decimalText,
  maximumAmount: amountText.describe('Maximum amount of one operation.'),
  maximumAmountFormatted: decimalText,
  mayBegin: z
    .boolean()
    .describe('False while no operation of this asset can begin; operations that have begun are still delivered.'),
  availableAmount: amountText.describe('Maximum amount that could be delivered now; larger deliveries are delayed.'),
  availableAmountFormatted: decimalText,
  outflowRoom: amountText.describe('Remaining outflow limit of the destination contract.'),
  outflowRoomFormatted: decimalText,
});

const directionLimits = z.object({
  paused: z.boolean().describe('True while no operation of this direction can begin.'),
  deliveriesPaused: z
    .boolean()
    .describe('True while deliveries of this direction are paused. New operations are delayed.'),
  undeliverableReason: z
    .enum(UNDELIVERABLE_REASONS)
    .nullable()
    .describe('Why deliveries of this direction do not run; null while they run.'),
  requiredConfirmations: z.int().describe('Confirmations that make an origin transaction final.'),
  holdSeconds: z.int().describe('Security hold after finality, in seconds.'),
  estimatedSeconds: z
    .int()
    .nullable()
    .describe('Seconds for a deliverable amount. Null while the direction or its deliveries are paused.'),
  assets: z.array(assetLimits).describe('One entry per asset.'),
});

/** `GET /bridge/limits`. */
export const limitsResponseSchema = z.object({
  ETHEREUM_TO_PARTNER: directionLimits.describe('Deposits.'),
  PARTNER_TO_ETHEREUM: directionLimits.describe('Withdrawals.'),
}) satisfies z.ZodType<LimitsResponse>;
