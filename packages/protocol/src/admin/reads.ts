import { z } from 'zod';
import type { BridgeOperationResponse } from '../answers/operations.js';
import { DELAY_REASONS } from '../operations.js';
import { FAILURE_REASONS, REFUND_STATUSES, type FailureReason } from '../refunds.js';
import { bridgeOperationResponseSchema } from '../rest/operations.js';
import { address, amountText, asset, decimalText, direction, hash32, status, timestamp } from '../rest/fields.js';
import { pageCursors, pageFields } from './access.js';

const side = z.enum(['ethereum', 'partner']);
const signedAmount = z.string().regex(/^-?\d+$/);
const halt = z.object({ since: timestamp, reason: z.string() }).nullable();
const lease = z.object({
  holder: z.string().nullable(),
  token: z.string(),
  expiresAt: timestamp.nullable(),
  isHeld: z.boolean().describe('Whether the lease is held, by the database clock.'),
});

/** `GET /overview`: the bridge at a glance. Values from nodes are null while the nodes disagree. */
export const overviewResponseSchema = z.object({
  at: timestamp,
  assets: z.array(
    z.object({
      asset,
      locked: amountText.nullable().describe('Held by BridgeLock, in atomic units of Ethereum.'),
      supply: amountText.nullable().describe('Supply of the bridged token; for XCN, minted minus returned.'),
      surplus: signedAmount.nullable().describe('Locked minus owed amount. Negative raises an alarm.'),
      inFlight: amountText.describe('Total of open operations.'),
      float: amountText.nullable().describe('Deliverable native XCN; null for other assets.'),
      floatDaysLeft: z
        .number()
        .nullable()
        .describe('Days until the float is used up at the rate of the last 7 days; null without use.'),
      delivered24h: amountText.describe(
        'Paid to recipients by operations completed in the last 24 hours. At most a minute old.',
      ),
      fees24h: amountText.describe('Fees of these operations.'),
    }),
  ),
  chains: z.array(
    z.object({
      side,
      chainId: z.int(),
      head: z.int().nullable().describe('Head of the chain, never below the last block read.'),
      nextBlock: z.int(),
      lagBlocks: z.int().nullable(),
      readAt: timestamp.nullable(),
      halt,
    }),
  ),
  deliveriesHalt: halt,
  lease,
  open: z.object({
    total: z.int(),
    byStatus: z.array(z.object({ status, count: z.int() })),
    byDelay: z.array(z.object({ reason: z.enum(DELAY_REASONS), count: z.int(), oldestSince: timestamp })),
    oldest: z.object({ id: hash32, status, since: timestamp }).nullable(),
  }),
  refundsWaiting: z.int(),
  requestsWaiting: z.int(),
});
/** Its answer. */
export type OverviewResponse = z.output<typeof overviewResponseSchema>;

/** `GET /solvency`: native XCN over time, oldest first, at most 500 points. Atomic units. */
export const solvencyQuerySchema = z.strictObject({ since: timestamp.optional() });
export const solvencyResponseSchema = z.object({
  points: z.array(z.object({ at: timestamp, minted: amountText, withdrawn: amountText })),
});
/** Its answer. */
export type SolvencyResponse = z.output<typeof solvencyResponseSchema>;

/** `GET /operations` and `GET /operations.csv`: newest first. Filters combine. */
export const adminOperationsQuerySchema = z.strictObject({
  search: z
    .string()
    .regex(/^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/, 'must be an id, a transaction hash or an address')
    .transform((text) => text.toLowerCase())
    .optional()
    .describe('An operation id, refund id, transaction hash of either chain, or address.'),
  status: status.optional(),
  delay: z.enum(DELAY_REASONS).optional(),
  asset: asset.optional(),
  direction: direction.optional(),
  kind: z.enum(['DEPOSIT', 'BURN', 'NATIVE_WITHDRAWAL', 'INTENT', 'TRANSFER']).optional(),
  from: timestamp.optional().describe('Created at or after this time.'),
  until: timestamp.optional().describe('Created before this time.'),
  ...pageFields,
});
/** A validated query. */
export type AdminOperationsQuery = z.output<typeof adminOperationsQuerySchema>;

/** `GET /operations.csv`: the same filters, all rows in one response. */
export const adminOperationsCsvQuerySchema = adminOperationsQuerySchema.omit({ cursor: true, limit: true });

/** `GET /operations/{id}` and `GET /refunds/{id}`. */
export const adminIdParametersSchema = z.strictObject({ id: hash32 });
/** The query of endpoints without parameters. */
export const noQuerySchema = z.strictObject({});

/** One row of the list. */
export const adminOperationRowSchema = z.object({
  id: hash32,
  kind: z.string(),
  asset,
  direction,
  status,
  delayedReason: z.enum(DELAY_REASONS).nullable(),
  failureReason: z.enum(Object.keys(FAILURE_REASONS) as [FailureReason, ...FailureReason[]]).nullable(),
  amount: amountText,
  amountFormatted: decimalText,
  fee: amountText,
  outputAmount: amountText,
  outputAmountFormatted: decimalText,
  sender: address,
  recipient: address,
  originTxHash: hash32.nullable(),
  destinationTxHash: hash32.nullable(),
  originConfirmations: z.int(),
  requiredConfirmations: z.int(),
  createdAt: timestamp,
  updatedAt: timestamp,
});
/** One row. */
export type AdminOperationRow = z.output<typeof adminOperationRowSchema>;
export const adminOperationsResponseSchema = z.object({ operations: z.array(adminOperationRowSchema), ...pageCursors });
/** Its answer. */
export type AdminOperationsResponse = z.output<typeof adminOperationsResponseSchema>;

/** A transaction signed for a delivery, a refund or a cancellation. */
const attempt = z.object({
  txHash: hash32,
  signedAt: timestamp,
  gas: amountText,
  maxFeePerGas: amountText.describe('In wei.'),
  maxPriorityFeePerGas: amountText.describe('In wei.'),
  isCancellation: z.boolean(),
  isFinal: z.boolean().describe('True if this transaction of its nonce is mined and final.'),
});

const attesters = z
  .array(
    z.object({
      address,
      verdict: z.enum(['SIGN', 'NOT_YET', 'REFUSE']).nullable().describe('Null until the attester answers.'),
      reason: z.string().nullable().describe('Code of a refusal.'),
      sentence: z.string().nullable().describe('Why the attester refuses or does not sign yet.'),
      at: timestamp.nullable().describe('When the attester first gave this answer.'),
    }),
  )
  .describe('Members of the attester set with their answers, while the operation waits for them; otherwise empty.');

const operationAnswer: z.ZodType<BridgeOperationResponse> = bridgeOperationResponseSchema;

/** `GET /operations/{id}`: all stored facts about one operation. */
export const adminOperationResponseSchema = z.object({
  operation: operationAnswer,
  kind: z.string(),
  deliveredAmount: amountText
    .nullable()
    .describe('The payment or credit of the recipient. Null until the delivery is final.'),
  timeline: z
    .array(
      z.object({
        at: timestamp,
        event: z.string().describe('What happened, as a code: CREATED, MINED, FINAL, SIGNED, REPLACED, SETTLED, ...'),
        actor: z.string().describe('sender, relayer, chain, or the address of a member.'),
        cause: z.string().nullable(),
        chain: side.nullable(),
        txHash: hash32.nullable(),
      }),
    )
    .describe('Oldest first.'),
  calls: z
    .array(
      z.object({
        id: z.string(),
        chainId: z.int(),
        sender: address,
        nonce: z.string(),
        purpose: z.string(),
        state: z.string(),
        createdAt: timestamp,
        cancelledAt: timestamp.nullable(),
        endedAt: timestamp.nullable(),
        feePaid: amountText.nullable().describe('In wei.'),
        attempts: z.array(attempt),
      }),
    )
    .describe('All calls of the wallet for this operation, replacements included.'),
  waiting: z
    .object({ reason: z.string(), sentence: z.string(), until: timestamp.nullable() })
    .nullable()
    .describe('Why the operation waits and until when; null after its end.'),
  allowed: z.array(z.enum(['RETRY', 'CANCEL', 'INTENT_REJECT', 'REFUND_APPROVE', 'REFUND_REFUSE'])),
  retryEffect: z.string().nullable().describe('Effect of a RETRY in a sentence; null where a RETRY is not allowed.'),
  docs: z.string().nullable().describe('Link to the page about the delay or failure; null without one.'),
  attesters,
});
/** Its answer. */
export type AdminOperationResponse = z.output<typeof adminOperationResponseSchema>;

/** `GET /intents`: newest first. */
export const adminIntentsQuerySchema = z.strictObject({ status: status.optional(), ...pageFields });
export const adminIntentsResponseSchema = z.object({
  intents: z.array(
    adminOperationRowSchema.extend({
      expiresAt: timestamp,
      deadline: timestamp,
      proposedOriginTxHash: hash32.nullable(),
    }),
  ),
  ...pageCursors,
});
/** Its answer. */
export type AdminIntentsResponse = z.output<typeof adminIntentsResponseSchema>;

/** `GET /refunds`: newest first. */
export const adminRefundsQuerySchema = z.strictObject({ status: z.enum(REFUND_STATUSES).optional(), ...pageFields });
export const adminRefundSchema = z.object({
  id: hash32,
  operationId: hash32,
  chainId: z.int(),
  asset,
  status: z.enum(REFUND_STATUSES),
  failureReason: z.string().nullable(),
  payer: address,
  wallet: address,
  amount: amountText,
  amountFormatted: decimalText,
  recipient: address.nullable(),
  paidAmount: amountText.nullable(),
  gasFee: amountText.nullable(),
  txHash: hash32.nullable(),
  createdAt: timestamp,
  settledAt: timestamp.nullable(),
  decisions: z.array(z.object({ operator: address, kind: z.string(), recipient: address.nullable(), at: timestamp })),
  maybePaidBy: z.array(hash32).describe('Unexplained deliveries that may already have paid this refund.'),
});
/** A refund. */
export type AdminRefund = z.output<typeof adminRefundSchema>;
/** `GET /refunds/{id}`: one of them. */
export const adminRefundResponseSchema = adminRefundSchema.extend({ attesters });
/** Its answer. */
export type AdminRefundResponse = z.output<typeof adminRefundResponseSchema>;
export const adminRefundsResponseSchema = z.object({ refunds: z.array(adminRefundSchema), ...pageCursors });
/** Its answer. */
export type AdminRefundsResponse = z.output<typeof adminRefundsResponseSchema>;

/** `GET /relayers`: processes that can run the pipeline, and the wallets. */
export const relayersResponseSchema = z.object({
  lease,
  wallets: z.array(
    z.object({
      side,
      address,
      isCurrent: z.boolean().describe('True for the wallet that both contracts use.'),
      balance: amountText.nullable().describe('In wei, as JSON-RPC counts (18 decimals).'),
      pendingCalls: z.int(),
      lastNonce: z.string().nullable(),
      gasPaid24h: amountText.describe('In wei.'),
    }),
  ),
  standby: z.array(z.object({ side, address: address.nullable() })),
  attesters: z.object({ addresses: z.array(address), threshold: z.int() }).nullable(),
});
/** Its answer. */
export type RelayersResponse = z.output<typeof relayersResponseSchema>;

/** `GET /alerts`: firing alerts, most severe first. */
export const alertsResponseSchema = z.object({
  at: timestamp,
  alerts: z.array(
    z.object({
      code: z.string(),
      severity: z.enum(['critical', 'warning', 'info']).describe('info: a decision is pending; nothing is wrong.'),
      sentence: z.string(),
      since: timestamp.nullable(),
      subject: z.string().nullable(),
      whatToDo: z.string(),
      runbook: z
        .string()
        .describe('The link to its heading in the runbook; without DOCS_URL docs/runbook.md#<code in lower case>.'),
    }),
  ),
});
/** Its answer. */
export type AlertsResponse = z.output<typeof alertsResponseSchema>;

/** `GET /settings`: the configuration of this process, without secrets. */
export const settingsResponseSchema = z.object({
  environment: z.string(),
  chains: z.array(z.object({ side, chainId: z.int(), requiredConfirmations: z.int(), blockSeconds: z.number() })),
  holdSeconds: z.int(),
  contracts: z.array(z.object({ side, name: z.string(), address })),
  version: z.string(),
});
/** Its answer. */
export type SettingsResponse = z.output<typeof settingsResponseSchema>;

/**
 * Event names of `GET /events`. Ids are positions, so that any process can resume a stream after any id.
 *
 * - `operation`: an operation changed; the data is its row of the list.
 * - `changed`: something else changed. The data is `{ what }` with one of `ADMIN_CHANGES`. A stream begins with one
 *   event per value, since these events have no positions.
 * - `resync`: changes are missing from the stream, so read the lists again.
 * - `heartbeat`: every 5 seconds, with the data `{}`, so that the console notices a dead connection. An EventSource
 *   does not expose comments.
 */
export const ADMIN_EVENT_NAMES = ['operation', 'changed', 'resync', 'heartbeat'] as const;
/** Values of `what` in a `changed` event. */
export const ADMIN_CHANGES = ['requests', 'halts', 'refunds', 'lease', 'audit'] as const;
export type AdminChange = (typeof ADMIN_CHANGES)[number];
/** The name of an event. */
export type AdminEventName = (typeof ADMIN_EVENT_NAMES)[number];
