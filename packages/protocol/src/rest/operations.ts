import { z } from 'zod';
import {
  HISTORY_PAGE_SIZE,
  MAXIMUM_IDS,
  type BridgeOperationResponse,
  type ExplainResponse,
  type HistoryResponse,
  type OperationsResponse,
} from '../answers/operations.js';
import { VERDICT_CODES } from '../explain/verdict.js';
import { DELAY_REASONS, OPERATION_STATUSES, STALL_REASONS, UNPAYABLE_REASONS } from '../operations.js';
import { FAILURE_REASONS, type FailureReason } from '../refunds.js';
import {
  address,
  amountText,
  asset,
  chainId,
  decimalText,
  direction,
  feeTerms,
  hash32,
  status,
  timestamp,
  wholeNumber,
} from './fields.js';

/**
 * `GET /bridge/status` requires at least one identifier; several must name the same operation. `index` selects one of
 * the operations of a transaction.
 */
export const statusQuerySchema = z
  .strictObject({
    originTxHash: hash32.optional().describe('Transaction on the origin chain.'),
    depositId: hash32.optional().describe('From the Deposit event.'),
    withdrawId: hash32.optional().describe('From the Withdraw event, or the intentId.'),
    intentId: hash32.optional().describe('`intentId` of the response to the intent.'),
    index: wholeNumber(0, 1_000_000)
      .optional()
      .describe('Index of the operation in its transaction, in log order. Default: 0.'),
  })
  .refine((query) => query.originTxHash ?? query.depositId ?? query.withdrawId ?? query.intentId, {
    path: ['originTxHash'],
    message: 'or depositId, withdrawId or intentId must be given',
  });
/** A validated query of `GET /bridge/status`: identifiers lower-case. */
export type StatusQuery = z.output<typeof statusQuerySchema>;

/** The final delivery of an operation. */
const settlementSchema = z.object({
  chainId,
  txHash: hash32.describe('Transaction of the delivery.'),
  blockNumber: z.int().describe('Block of the delivery.'),
  recipient: address.describe('The account that was paid.'),
  amount: amountText,
  amountFormatted: decimalText,
  settledAt: timestamp.describe('When the delivery became final.'),
  credited: z
    .boolean()
    .describe('True if the recipient rejected the payment; the contract holds the amount until it is claimed.'),
});

/** BridgeOperationResponse of the specification, and additional fields. */
export const bridgeOperationResponseSchema = z.object({
  id: hash32.describe('The depositId, withdrawId or intentId.'),
  asset,
  direction,
  status: status.describe('COMPLETED, FAILED and EXPIRED are terminal.'),
  amount: amountText.describe('Paid by the sender, fee included.'),
  amountFormatted: decimalText,
  fee: feeTerms
    .nullable()
    .describe('Null for deposits. `bps` is the rate of the policy, even where the minimum fee applies.'),
  outputAmount: amountText.describe('Delivered to the recipient.'),
  outputAmountFormatted: decimalText,
  originChainId: chainId.describe('Chain of the origin transaction.'),
  destinationChainId: chainId.describe('Chain of the delivery.'),
  originTxHash: hash32.nullable().describe('Null for an unpaid intent.'),
  destinationTxHash: hash32.nullable().describe('Null until the delivery is signed.'),
  depositId: hash32.nullable().describe('Null unless the operation is a deposit.'),
  withdrawId: hash32.nullable().describe('Null unless the operation is a withdrawal.'),
  intentId: hash32.nullable().describe('Null unless the operation is a withdrawal by an intent.'),
  sender: address.describe('The paying account.'),
  recipient: address.describe('The receiving account.'),
  originConfirmations: z.int().describe('The block of the transaction counts as the first; 0 without a transaction.'),
  requiredConfirmations: z.int().describe('Confirmations that make the origin transaction final.'),
  estimatedCompletionTime: timestamp
    .nullable()
    .describe(
      'Null when unknown: the payment is missing, the operation is delayed or overdue, or no relayer is running.',
    ),
  quotedCompletionTime: timestamp
    .nullable()
    .describe('The completion time quoted at the beginning. It never changes. Null where none was quoted.'),
  relayerWalletAddress: address
    .nullable()
    .describe('Receiver of the payment of an unpaid intent. Null otherwise, and when the intent must not be paid.'),
  unpayableReason: z
    .enum(UNPAYABLE_REASONS)
    .nullable()
    .describe('Why an unpaid intent has no relayer wallet and must not be paid.'),
  stalledReason: z
    .enum(STALL_REASONS)
    .nullable()
    .describe('RELAYER_AWAY while no relayer is running. The operation continues when one runs again.'),
  holdUntil: timestamp.nullable().describe('End of the security hold, while the operation is held.'),
  settlement: settlementSchema.nullable().describe('The final delivery; null before it.'),
  delayedReason: z.enum(DELAY_REASONS).nullable().describe('Why the operation is DELAYED. It will still complete.'),
  delayedSince: timestamp.nullable().describe('When the delay began.'),
  failureReason: z
    .enum(Object.keys(FAILURE_REASONS) as [FailureReason, ...FailureReason[]])
    .nullable()
    .describe('Why the operation is FAILED.'),
  failureMessage: z.string().nullable().describe('The failure in words and the next step.'),
  refundId: hash32.nullable().describe('Refund of a FAILED operation: see `GET /bridge/refunds/{id}`.'),
  otherOperationIds: z.array(hash32).describe('Other operations of the same origin transaction, in log order.'),
  createdAt: timestamp.describe('When the operation began.'),
  updatedAt: timestamp.describe('When the operation last changed.'),
}) satisfies z.ZodType<BridgeOperationResponse>;

/** A comma-separated list of a query string, without duplicates. */
function commaList<S extends z.ZodType<unknown, string>>(item: S, most: number) {
  const message = `must be at most ${most}, separated by commas`;
  return z
    .string(message)
    .transform((text) => text.split(','))
    .pipe(z.array(item).max(most, message))
    .transform((items) => [...new Set(items)]);
}

/**
 * `GET /bridge/history` of an address, or the operations with some ids. Numbers out of range are refused, not clamped.
 */
export const historyQuerySchema = z
  .strictObject({
    address: address.optional().describe('The wallet, as sender or recipient. Required unless `ids` is given.'),
    ids: commaList(hash32, MAXIMUM_IDS)
      .optional()
      .describe('Instead of `address` and without other parameters: up to 100 operation ids, separated by commas.'),
    cursor: hash32
      .optional()
      .describe('`nextCursor` of the previous page. New operations cause neither gaps nor repetitions.'),
    limit: wholeNumber(1, HISTORY_PAGE_SIZE.maximum)
      .default(HISTORY_PAGE_SIZE.default)
      .describe(`Operations per page. Default: ${HISTORY_PAGE_SIZE.default}.`),
    offset: wholeNumber(0, 1_000_000_000)
      .default(0)
      .describe('Instead of `cursor`: newest operations to skip. New operations shift the page.'),
    direction: direction.optional(),
    role: z.enum(['sender', 'recipient'], 'must be sender or recipient').optional().describe('Role of the wallet.'),
    status: commaList(status, OPERATION_STATUSES.length).optional().describe('Statuses, separated by commas.'),
  })
  .superRefine((query, context) => {
    const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (query.address === undefined && query.ids === undefined) refuse('address', 'or ids must be given');
    const rest: readonly unknown[] = [query.address, query.cursor, query.direction, query.role, query.status];
    if (query.ids !== undefined && (query.offset > 0 || rest.some((each) => each !== undefined)))
      refuse('ids', 'must be the only parameter: it names the operations');
    if (query.offset > 0 && query.cursor !== undefined) refuse('offset', 'cannot be combined with cursor');
    if (query.offset > 0 && (query.role !== undefined || query.status !== undefined))
      refuse('offset', 'cannot be combined with role or status; use cursor');
  });
/** A validated query of `GET /bridge/history`: numbers parsed, address and ids lower-case. */
export type HistoryQueryParameters = z.output<typeof historyQuerySchema>;

/**
 * Operations, newest first, and the position of the page. With `role` or `status` a page can be shorter than `limit`,
 * or empty, while `hasMore` is true.
 */
export const historyResponseSchema = z.object({
  operations: z.array(bridgeOperationResponseSchema).describe('Newest first, or in the order of `ids`.'),
  pagination: z
    .object({
      limit: z.int().describe('Maximum operations per page.'),
      offset: z.int().describe('Operations skipped before this page.'),
      hasMore: z.boolean().describe('Whether more operations follow.'),
      nextCursor: hash32.nullable().describe('The `cursor` of the next page; null on the last page.'),
    })
    .describe('Position of the page.'),
}) satisfies z.ZodType<HistoryResponse>;

/** `GET /bridge/operations`: the operations of all wallets that match every given filter. */
export const operationsQuerySchema = z.strictObject({
  asset: asset.optional(),
  direction: direction.optional(),
  status: status.optional(),
  cursor: z
    .string('must be nextCursor of the previous page')
    .regex(/^[\w-]{1,200}$/, 'must be nextCursor of the previous page')
    .optional()
    .describe('`nextCursor` of the previous page. New operations cause neither gaps nor repetitions.'),
  limit: wholeNumber(1, HISTORY_PAGE_SIZE.maximum)
    .default(HISTORY_PAGE_SIZE.default)
    .describe(`Operations per page. Default: ${HISTORY_PAGE_SIZE.default}.`),
});
/** A validated query of `GET /bridge/operations`. */
export type OperationsQuery = z.output<typeof operationsQuerySchema>;

/** A page of operations of all wallets, newest first. */
export const operationsResponseSchema = z.object({
  operations: z.array(bridgeOperationResponseSchema).describe('Newest first.'),
  pagination: z
    .object({
      limit: z.int().describe('Maximum operations per page.'),
      hasMore: z.boolean().describe('Whether more operations follow.'),
      nextCursor: z.string().nullable().describe('The `cursor` of the next page; null on the last page.'),
    })
    .describe('Position of the page.'),
}) satisfies z.ZodType<OperationsResponse>;

/** `GET /bridge/explain`: the hash of a transaction, or the id of an operation. */
export const explainQuerySchema = z.strictObject({
  hash: hash32.describe('Hash of any transaction or user operation, or id of an operation.'),
  sender: address.optional().describe('With `nonce`: the sender of the transaction, to detect a replacement.'),
  nonce: wholeNumber(0, 2 ** 53 - 2)
    .optional()
    .describe('Nonce of the transaction, as the wallet shows it.'),
});
/** A validated query of `GET /bridge/explain`: the hash is lower-case. */
export type ExplainQuery = z.output<typeof explainQuerySchema>;

/** A verdict about a hash: see `Verdict`. */
export const explainResponseSchema = z.object({
  hash: hash32.describe('The requested hash.'),
  code: z.enum(VERDICT_CODES).describe('The verdict.'),
  message: z.string().describe('What happened, in words for users.'),
  nextStep: z.string().describe('The next step, in words for users.'),
  operationIds: z
    .array(hash32)
    .describe('The operations that the hash names, begins or delivers. The verdict concerns the first.'),
  until: timestamp.nullable().describe('When this state ends or is checked again; null if unknown.'),
  replacedBy: hash32.nullable().describe('The mined transaction that replaced this one.'),
  stalledReason: z.enum(STALL_REASONS).nullable().describe('RELAYER_AWAY while no relayer is running.'),
}) satisfies z.ZodType<ExplainResponse>;
