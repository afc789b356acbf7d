import { z } from 'zod';
import {
  HISTORY_PAGE_SIZE,
  MAXIMUM_IDS,
  type BridgeOperationResponse,
  type ExplainResponse,
  type HistoryResponse,
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
 * `GET /bridge/status` needs at least one identifier; several must name the same operation. `index` picks one of the
 * operations of a transaction.
 */
export const statusQuerySchema = z
  .strictObject({
    originTxHash: hash32.optional().describe('Transaction on the origin chain.'),
    depositId: hash32.optional().describe('From the Deposit event.'),
    withdrawId: hash32.optional().describe('From the Withdraw event, or the intentId.'),
    intentId: hash32.optional().describe('From the answer to the intent.'),
    index: wholeNumber(0, 1_000_000)
      .optional()
      .describe('Which operation of the transaction, in log order from 0. By default the first one.'),
  })
  .refine((query) => query.originTxHash ?? query.depositId ?? query.withdrawId ?? query.intentId, {
    path: ['originTxHash'],
    message: 'or depositId, withdrawId or intentId must be given',
  });
/** A checked query of `GET /bridge/status`: identifiers lower-case. */
export type StatusQuery = z.output<typeof statusQuerySchema>;

/** The delivery of an operation. `credited`: the recipient did not receive it; the contract keeps it to be claimed. */
const settlementSchema = z.object({
  chainId,
  txHash: hash32.describe('The transaction.'),
  blockNumber: z.int().describe('Its block.'),
  recipient: address.describe('Who was paid.'),
  amount: amountText,
  amountFormatted: decimalText,
  settledAt: timestamp.describe('When its block was final.'),
  credited: z.boolean().describe('The recipient did not take it; the contract keeps it to be claimed.'),
});

/** BridgeOperationResponse of the specification, with the further fields of this implementation. */
export const bridgeOperationResponseSchema = z.object({
  id: hash32.describe('Of the operation: its depositId, withdrawId or intentId.'),
  asset,
  direction,
  status: status.describe('COMPLETED, FAILED and EXPIRED never change again.'),
  amount: amountText.describe('Paid by the sender, before the fee.'),
  amountFormatted: decimalText,
  fee: feeTerms.nullable().describe('Null for deposits. `bps` is the rate, also where the minimum fee applies.'),
  outputAmount: amountText.describe('Delivered to the recipient.'),
  outputAmountFormatted: decimalText,
  originChainId: chainId.describe('Where it begins.'),
  destinationChainId: chainId.describe('Where it is delivered.'),
  originTxHash: hash32.nullable().describe('Its transaction; null for an intent that is not paid.'),
  destinationTxHash: hash32.nullable().describe('The transaction of its delivery, once there is one.'),
  depositId: hash32.nullable().describe('Of a deposit.'),
  withdrawId: hash32.nullable().describe('Of a withdrawal.'),
  intentId: hash32.nullable().describe('Of a withdrawal by an intent.'),
  sender: address.describe('Who pays.'),
  recipient: address.describe('Who is paid.'),
  originConfirmations: z.int().describe('The block of the transaction is the first one; 0 without a transaction.'),
  requiredConfirmations: z.int().describe('Confirmations after which the origin is final.'),
  estimatedCompletionTime: timestamp
    .nullable()
    .describe(
      'Null when unknown: the operation waits for its sender, is delayed, takes longer than usual, or no relayer works.',
    ),
  quotedCompletionTime: timestamp
    .nullable()
    .describe('The end that was usual when it began, to compare with. It never changes. Null where none was quoted.'),
  relayerWalletAddress: address
    .nullable()
    .describe('Of an unpaid intent: the receiver of its payment. Null otherwise, and when it must not be paid.'),
  unpayableReason: z
    .enum(UNPAYABLE_REASONS)
    .nullable()
    .describe('Why an unpaid intent names no wallet. Pay nothing then.'),
  stalledReason: z
    .enum(STALL_REASONS)
    .nullable()
    .describe('RELAYER_AWAY while no relayer works. It continues when one is back.'),
  holdUntil: timestamp.nullable().describe('End of the security hold, while it runs.'),
  settlement: settlementSchema.nullable().describe('The final delivery. `credited`: the recipient may claim it.'),
  delayedReason: z.enum(DELAY_REASONS).nullable().describe('Why it is DELAYED. It will still complete.'),
  delayedSince: timestamp.nullable().describe('When this delay began.'),
  failureReason: z
    .enum(Object.keys(FAILURE_REASONS) as [FailureReason, ...FailureReason[]])
    .nullable()
    .describe('Why it is FAILED, and in words what to do next.'),
  failureMessage: z.string().nullable().describe('The failure in words, and what to do next.'),
  refundId: hash32
    .nullable()
    .describe('The refund of what arrived, if the operation is FAILED: see `GET /bridge/refunds/{id}`.'),
  otherOperationIds: z
    .array(hash32)
    .describe('Ids of the other operations of the same origin transaction, in log order.'),
  createdAt: timestamp.describe('When it began.'),
  updatedAt: timestamp.describe('When it last changed.'),
}) satisfies z.ZodType<BridgeOperationResponse>;

/** A list in a query string, separated by commas, without repetitions. */
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
 * `cursor` is `nextCursor` of the page before.
 */
export const historyQuerySchema = z
  .strictObject({
    address: address.optional().describe('The wallet, as sender or recipient. Needed unless `ids` is given.'),
    ids: commaList(hash32, MAXIMUM_IDS)
      .optional()
      .describe('Instead of an address: up to 100 ids of operations, separated by commas. The only parameter then.'),
    cursor: hash32
      .optional()
      .describe('`nextCursor` of the page before. Nothing is missed or repeated when operations begin meanwhile.'),
    limit: wholeNumber(1, HISTORY_PAGE_SIZE.maximum)
      .default(HISTORY_PAGE_SIZE.default)
      .describe(`Operations of a page; ${HISTORY_PAGE_SIZE.default} unless given.`),
    offset: wholeNumber(0, 1_000_000_000)
      .default(0)
      .describe(
        'Instead of a cursor: operations to leave out, from the newest one on. It moves when operations begin.',
      ),
    direction: direction.optional(),
    role: z.enum(['sender', 'recipient'], 'must be sender or recipient').optional().describe('What the wallet is.'),
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
/** A checked query of `GET /bridge/history`: numbers are numbers, address and ids lower-case. */
export type HistoryQueryParameters = z.output<typeof historyQuerySchema>;

/**
 * Operations newest first, and the position of the page. `nextCursor` continues after it, and is null when nothing
 * follows. A page with `role` or `status` may be shorter than `limit`, also empty, while `hasMore` is true.
 */
export const historyResponseSchema = z.object({
  operations: z.array(bridgeOperationResponseSchema).describe('Newest first, or in the order of `ids`.'),
  pagination: z
    .object({
      limit: z.int().describe('Operations of a page at most.'),
      offset: z.int().describe('Operations that were left out.'),
      hasMore: z.boolean().describe('Whether more follow.'),
      nextCursor: hash32.nullable().describe('The `cursor` of the page after this one; null on the last one.'),
    })
    .describe('The position of the page.'),
}) satisfies z.ZodType<HistoryResponse>;

/** `GET /bridge/explain`: the hash of a transaction, or the id of an operation. */
export const explainQuerySchema = z.strictObject({
  hash: hash32.describe('Hash of any transaction or user operation, or id of an operation.'),
  sender: address.optional().describe('With `nonce`: the sender of the transaction, to know whether it was replaced.'),
  nonce: wholeNumber(0, 2 ** 53 - 2)
    .optional()
    .describe('Of the transaction, as its wallet shows it.'),
});
/** A checked query of `GET /bridge/explain`: the hash is lower-case. */
export type ExplainQuery = z.output<typeof explainQuerySchema>;

/** A verdict about a hash: see `Verdict`. */
export const explainResponseSchema = z.object({
  hash: hash32.describe('As it was asked for.'),
  code: z.enum(VERDICT_CODES).describe('The verdict.'),
  message: z.string().describe('What happened, for people.'),
  nextStep: z.string().describe('What to do, for people.'),
  operationIds: z
    .array(hash32)
    .describe('The operations that it names, begins or delivers. The verdict is about the first one.'),
  until: timestamp.nullable().describe('When this state ends or is looked at again; null when that is not known.'),
  replacedBy: hash32.nullable().describe('The transaction that was mined instead.'),
  stalledReason: z.enum(STALL_REASONS).nullable().describe('RELAYER_AWAY while no relayer works.'),
}) satisfies z.ZodType<ExplainResponse>;
