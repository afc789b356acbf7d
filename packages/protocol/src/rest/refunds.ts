import { z } from 'zod';
import type { RefundResponse } from '../answers/refunds.js';
import { REFUND_STATUSES } from '../refunds.js';
import { address, amountText, asset, chainId, decimalText, hash32, timestamp } from './fields.js';

/** `GET /bridge/refunds/{id}`. */
export const refundParametersSchema = z.strictObject({ id: hash32.describe('`refundId` of the failed operation.') });

const payment = z.object({
  recipient: address.describe('The account that receives the refund: the payer of the transfer.'),
  amount: amountText.describe('The amount that arrived minus gasFee, rounded down to the units of the chain.'),
  amountFormatted: decimalText,
  gasFee: amountText.describe('Deducted for gas when ETH is refunded on Ethereum, in units of the asset; 0 otherwise.'),
  dust: amountText.describe('The remainder that rounding leaves in the wallet.'),
  txHash: hash32.nullable().describe('Null until the transaction is signed.'),
});

/** The refund of a transfer that was not bridged. */
export const refundResponseSchema = z.object({
  id: hash32.describe('Id of the refund.'),
  operationId: hash32.describe('The failed operation.'),
  status: z.enum(REFUND_STATUSES).describe('Status of the refund.'),
  chainId: chainId.describe('The chain on which the transfer arrived and the refund is paid.'),
  asset,
  payer: address.describe('The account that sent the transfer.'),
  amount: amountText.describe('What arrived.'),
  amountFormatted: decimalText,
  payment: payment.nullable().describe('Fixed when the payment is signed; null before.'),
  createdAt: timestamp.describe('When the refund was requested.'),
  updatedAt: timestamp.describe('When the refund last changed.'),
}) satisfies z.ZodType<RefundResponse>;
