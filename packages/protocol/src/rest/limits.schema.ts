import { z } from 'zod';
import { amountText, asset, decimalText } from './fields.js';

const assetLimits = z.object({
  token: asset,
  feeBps: z.int(),
  minimumFee: amountText,
  minimumFeeFormatted: decimalText,
  minimumAmount: amountText,
  minimumAmountFormatted: decimalText,
  /** How much may leave the destination contract at this moment before deliveries are delayed. */
  outflowRoom: amountText,
  outflowRoomFormatted: decimalText,
});

const directionLimits = z.object({
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
