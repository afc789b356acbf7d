import { z } from 'zod';
import { REFUND_STATUSES } from '../refunds.js';
import { address, amountText, asset, decimalText, hash32, timestamp } from './fields.js';

/** `GET /bridge/refunds/{id}`. */
export const refundParametersSchema = z.strictObject({ id: hash32 });

const payment = z.object({
  recipient: address,
  /** What the recipient gets: the amount that arrived, less the gas, rounded down to the units of the chain. */
  amount: amountText,
  amountFormatted: decimalText,
  /** Kept for the gas of the payment, in units of the asset. */
  gasFee: amountText,
  /** What rounding left in the wallet. */
  dust: amountText,
  /** Null until its transaction is known. */
  txHash: hash32.nullable(),
});

/** The refund of a transfer that was not bridged. */
export const refundResponseSchema = z.object({
  id: hash32,
  /** The failed operation. */
  operationId: hash32,
  status: z.enum(REFUND_STATUSES),
  chainId: z.int(),
  asset,
  /** Who sent the transfer. */
  payer: address,
  /** What arrived. */
  amount: amountText,
  amountFormatted: decimalText,
  /** Fixed when the payment is signed; null before that. */
  payment: payment.nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
});
/** The body of `GET /bridge/refunds/{id}`. */
export type RefundResponse = z.output<typeof refundResponseSchema>;
