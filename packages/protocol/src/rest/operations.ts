import { z } from 'zod';
import { VERDICT_CODES } from '../explain/verdict.js';
import { DELAY_REASONS, OPERATION_STATUSES } from '../operations.js';
import { FAILURE_REASONS, type FailureReason } from '../refunds.js';
import {
  address,
  amountText,
  asset,
  decimalText,
  direction,
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
    originTxHash: hash32.optional(),
    depositId: hash32.optional(),
    withdrawId: hash32.optional(),
    intentId: hash32.optional(),
    index: wholeNumber(0, 1_000_000).optional(),
  })
  .refine((query) => query.originTxHash ?? query.depositId ?? query.withdrawId ?? query.intentId, {
    path: ['originTxHash'],
    message: 'or depositId, withdrawId or intentId must be given',
  });
/** A checked query of `GET /bridge/status`: identifiers lower-case. */
export type StatusQuery = z.output<typeof statusQuerySchema>;

const fee = z.object({ amount: amountText, formatted: decimalText, bps: z.int() });

/** The delivery of an operation. `credited`: the recipient did not receive it; the contract keeps it to be claimed. */
const settlementSchema = z.object({
  chainId: z.int(),
  txHash: hash32,
  blockNumber: z.int(),
  recipient: address,
  amount: amountText,
  amountFormatted: decimalText,
  settledAt: timestamp,
  credited: z.boolean(),
});

/** BridgeOperationResponse of the specification, with the further fields of this implementation. */
export const bridgeOperationResponseSchema = z.object({
  id: hash32,
  asset,
  direction,
  status,
  amount: amountText,
  amountFormatted: decimalText,
  fee: fee.nullable(),
  outputAmount: amountText,
  outputAmountFormatted: decimalText,
  originChainId: z.int(),
  destinationChainId: z.int(),
  originTxHash: hash32.nullable(),
  destinationTxHash: hash32.nullable(),
  depositId: hash32.nullable(),
  withdrawId: hash32.nullable(),
  intentId: hash32.nullable(),
  sender: address,
  recipient: address,
  originConfirmations: z.int(),
  requiredConfirmations: z.int(),
  estimatedCompletionTime: timestamp.nullable(),
  holdUntil: timestamp.nullable(),
  settlement: settlementSchema.nullable(),
  delayedReason: z.enum(DELAY_REASONS).nullable(),
  delayedSince: timestamp.nullable(),
  /** Why it is FAILED, and in words what to do next. */
  failureReason: z.enum(Object.keys(FAILURE_REASONS) as [FailureReason, ...FailureReason[]]).nullable(),
  failureMessage: z.string().nullable(),
  /** The refund of what arrived, if the operation is FAILED: see `GET /bridge/refunds/{id}`. */
  refundId: hash32.nullable(),
  /** Ids of the other operations of the same origin transaction, in log order. */
  otherOperationIds: z.array(hash32),
  createdAt: timestamp,
  updatedAt: timestamp,
});
/** An operation as the REST API shows it. */
export type BridgeOperationResponse = z.output<typeof bridgeOperationResponseSchema>;

/** Operations of one page of a history (specification, Limits). */
export const HISTORY_PAGE_SIZE = { default: 10, maximum: 100 } as const;
/** Ids in one request. */
export const MAXIMUM_IDS = 100;

/** A list in a query string, separated by commas, without repetitions. */
function commaList<S extends z.ZodType<unknown, string>>(item: S, most: number) {
  return z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(item).max(most, `must be at most ${most}, separated by commas`))
    .transform((items) => [...new Set(items)]);
}

/**
 * `GET /bridge/history` of an address, or the operations with some ids. Numbers out of range are refused, not clamped.
 * `cursor` is `nextCursor` of the page before.
 */
export const historyQuerySchema = z
  .strictObject({
    address: address.optional(),
    ids: commaList(hash32, MAXIMUM_IDS).optional(),
    limit: wholeNumber(1, HISTORY_PAGE_SIZE.maximum).default(HISTORY_PAGE_SIZE.default),
    offset: wholeNumber(0, 1_000_000_000).default(0),
    cursor: hash32.optional(),
    direction: direction.optional(),
    role: z.enum(['sender', 'recipient'], 'must be sender or recipient').optional(),
    status: commaList(status, OPERATION_STATUSES.length).optional(),
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
  operations: z.array(bridgeOperationResponseSchema),
  pagination: z.object({
    limit: z.int(),
    offset: z.int(),
    hasMore: z.boolean(),
    nextCursor: hash32.nullable(),
  }),
});
/** The body of `GET /bridge/history`. */
export type HistoryResponse = z.output<typeof historyResponseSchema>;

/** `GET /bridge/explain`: the hash of a transaction, or the id of an operation. */
export const explainQuerySchema = z.strictObject({ hash: hash32 });
/** A checked query of `GET /bridge/explain`: the hash is lower-case. */
export type ExplainQuery = z.output<typeof explainQuerySchema>;

/** A verdict about a hash: see `Verdict`. */
export const explainResponseSchema = z.object({
  hash: hash32,
  code: z.enum(VERDICT_CODES),
  message: z.string(),
  nextStep: z.string(),
  operationIds: z.array(hash32),
  until: timestamp.nullable(),
  replacedBy: hash32.nullable(),
});
/** The body of `GET /bridge/explain`. */
export type ExplainResponse = z.output<typeof explainResponseSchema>;
