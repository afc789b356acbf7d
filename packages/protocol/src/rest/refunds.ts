import { z } from 'zod';
import type { RefundResponse } from '../answers/refunds.js';
import { REFUND_STATUSES } from '../refunds.js';
import { address, amountText, asset, chainId, decimalText, hash32, timestamp } from './fields.js';

/** `GET /bridge/refunds/{id}`. */
export const refundParametersSchema = z.strictObject({ id: hash32.describe('`refundId` of the failed operation.') });

const payment = z.object({
  recipient: address.describe('Who is paid: the payer.'),
  amount: amountText.describe(
    'What the recipient gets: the amount that arrived, less gasFee, rounded down to the units of the chain.',
  ),
  amountFormatted: decimalText,
  gasFee: amountText.describe(
    'Kept for the gas of a payment of ETH on Ethereum, in units of the asset; 0 for all others.',
  ),
  dust: amountText.describe('What rounding left in the wallet.'),
  txHash: hash32.nullable().describe('Null until its transaction is known.'),
});

/** The refund of a transfer that was not bridged. */
export const refundResponseSchema = z.object({
  id: hash32.describe('Of the refund.'),
  operationId: hash32.describe('The failed operation.'),
  status: z.enum(REFUND_STATUSES).describe('How far the refund is.'),
  chainId: chainId.describe('Where the transfer arrived, and the refund is paid.'),
  asset,
  payer: address.describe('Who sent the transfer.'),
  amount: amountText.describe('What arrived.'),
  amountFormatted: decimalText,
  payment: payment.nullable().describe('Fixed when the payment is signed; null before that.'),
  createdAt: timestamp.describe('When it was requested.'),
  updatedAt: timestamp.describe('When it last changed.'),
}) satisfies z.ZodType<RefundResponse>;
