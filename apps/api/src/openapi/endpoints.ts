import type { ErrorCode } from '@causeway/protocol';
import {
  bindOriginBodySchema,
  eventsHeadersSchema,
  eventsQuerySchema,
  explainQuerySchema,
  feeQuoteQuerySchema,
  historyQuerySchema,
  intentBodySchema,
  refundParametersSchema,
  statusQuerySchema,
  transactionsBodySchema,
} from '@causeway/protocol/rest';
import type { z } from 'zod';
import type { ResponseName } from './schemas.js';

/** The parts of the API, and which questions they answer. */
export const TAGS = {
  Terms: 'Before a user signs: contracts, fees, limits, and whether an amount can be delivered now.',
  Transfers: 'Begins a transfer: unsigned transactions, and withdrawals of XCN by a signed intent.',
  Operations: 'Follows operations from their origin to their delivery or refund, by polls or events.',
  Service: 'Whether this service works, and how to use it.',
} as const;

/** The content type of server-sent events. */
export const STREAM = 'text/event-stream';

/** An endpoint as the document describes it. The schemas are those that check its requests. */
export interface Endpoint {
  readonly method: 'get' | 'post';
  /** Below /api/v1, with parameters in braces. */
  readonly path: string;
  readonly operationId: string;
  readonly tag: keyof typeof TAGS;
  readonly summary: string;
  readonly description: string;
  readonly query?: z.ZodType;
  readonly parameters?: z.ZodType;
  readonly headers?: z.ZodType;
  readonly body?: z.ZodType;
  readonly response: ResponseName;
  /** Statuses of that response; 200 unless given. */
  readonly statuses?: readonly number[];
  /** Codes beside those that every endpoint may answer. */
  readonly errors: readonly ErrorCode[];
  /** It has an ETag, and answers If-None-Match with 304. */
  readonly hasETag?: boolean;
  /** Its values come from the chains, and may be older than the answer. */
  readonly hasAge?: boolean;
  /** JSON unless given. Of server-sent events, the response is the data of each. */
  readonly contentType?: typeof STREAM | 'text/html';
}

/** The errors that any endpoint may answer: to a wrong or too frequent request, and when the service fails. */
export const COMMON_ERRORS: readonly ErrorCode[] = [
  'VALIDATION_ERROR',
  'REQUEST_TIMEOUT',
  'URI_TOO_LONG',
  'HEADERS_TOO_LARGE',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
];

/** The errors that an endpoint with a body may answer beside them. */
export const BODY_ERRORS: readonly ErrorCode[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

/** The public endpoints. */
export const ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'get',
    path: '/bridge/config',
    operationId: 'getConfig',
    tag: 'Terms',
    summary: 'Chains, contracts, tokens, terms, and the typed data of intents',
    description:
      'Everything that differs between environments. Ask with the ETag whether your copy still holds, and write none of it into a program.',
    response: 'Config',
    hasAge: true,
    errors: [],
    hasETag: true,
  },
  {
    method: 'get',
    path: '/bridge/limits',
    operationId: 'getLimits',
    tag: 'Terms',
    summary: 'Fees, minimums, maximums and deliverable amounts of both directions',
    description:
      'Whether each direction is open, its confirmations and hold, and for each asset the fee, the bounds of one amount, and how much could be delivered now.',
    response: 'Limits',
    hasAge: true,
    errors: [],
    hasETag: true,
  },
  {
    method: 'get',
    path: '/bridge/fee-quote',
    operationId: 'getFeeQuote',
    tag: 'Terms',
    summary: 'Fee and output of a transfer, and whether it could be delivered now',
    description:
      'What a transfer of this amount costs and delivers at present. It reserves nothing. Above `availableAmount` an operation may begin, and is delayed until it can be delivered.',
    query: feeQuoteQuerySchema,
    response: 'FeeQuote',
    hasAge: true,
    errors: ['BELOW_MINIMUM'],
  },
  {
    method: 'post',
    path: '/bridge/transactions',
    operationId: 'writeTransactions',
    tag: 'Transfers',
    summary: 'The unsigned calls or the typed data of a transfer',
    description:
      'Calls to be signed and sent by the sender in their order, or with `byIntent` the typed data of an intent. Nothing is stored or reserved.',
    body: transactionsBodySchema,
    response: 'Transactions',
    hasAge: true,
    errors: ['BELOW_MINIMUM', 'SERVICE_PAUSED'],
  },
  {
    method: 'post',
    path: '/bridge/xcn-withdraw-intent',
    operationId: 'registerIntent',
    tag: 'Transfers',
    summary: 'Registers a signed intent to withdraw native XCN',
    description:
      'Fixes the terms of a withdrawal, and names the wallet that the sender pays. The same `idempotencyKey` with the same body gives the same answer again.',
    body: intentBodySchema,
    response: 'Intent',
    errors: [
      'BELOW_MINIMUM',
      'DEADLINE_EXPIRED',
      'SIGNATURE_INVALID',
      'SIGNATURE_MISMATCH',
      'SIGNATURE_DOMAIN_REJECTED',
      'SIGNATURE_VERIFICATION_UNAVAILABLE',
      'SERVICE_PAUSED',
    ],
  },
  {
    method: 'post',
    path: '/bridge/xcn-withdraw-intent/bind-origin',
    operationId: 'bindOrigin',
    tag: 'Transfers',
    summary: 'Names the transaction that pays an intent',
    description:
      'Pairs an intent with the transaction that pays it. It may be repeated, and the bridge finds the payment without it too.',
    body: bindOriginBodySchema,
    response: 'BindOrigin',
    errors: [
      'INTENT_NOT_FOUND',
      'INTENT_NOT_PENDING',
      'INTENT_ALREADY_BOUND',
      'DUPLICATE_ORIGIN_TX',
      'INTENT_EXPIRED',
      'SENDER_MISMATCH',
    ],
  },
  {
    method: 'get',
    path: '/bridge/status',
    operationId: 'getStatus',
    tag: 'Operations',
    summary: 'One operation, by at least one of its identifiers',
    description:
      'The operation as it is now. Poll every 5 to 10 seconds until it is COMPLETED, FAILED or EXPIRED, or follow its events.',
    query: statusQuerySchema,
    response: 'BridgeOperation',
    errors: ['OPERATION_NOT_FOUND'],
  },
  {
    method: 'get',
    path: '/bridge/history',
    operationId: 'getHistory',
    tag: 'Operations',
    summary: 'The operations of a wallet, newest first, or those with some ids',
    description:
      'Follow `nextCursor` until it is null: a page with `role` or `status` may be shorter than `limit` although more follow.',
    query: historyQuerySchema,
    response: 'History',
    errors: [],
  },
  {
    method: 'get',
    path: '/bridge/events',
    operationId: 'streamEvents',
    tag: 'Operations',
    summary: 'Server-sent events of an operation, a transaction or a wallet',
    description:
      'The answer is a stream, which stays open: read it event by event, since as one body it may never end. The event `operation` has an operation as it is now; the event `resync` has `{}` and says that changes before it are missing, so read the history. `Last-Event-ID` continues after an event. Heartbeats come every 15 seconds.',
    query: eventsQuerySchema,
    headers: eventsHeadersSchema,
    response: 'StreamMessage',
    errors: [],
    contentType: STREAM,
  },
  {
    method: 'get',
    path: '/bridge/explain',
    operationId: 'explain',
    tag: 'Operations',
    summary: 'What became of a hash, and what to do',
    description: 'A verdict about any hash in a code and in words: of an origin, of a delivery, or of an operation.',
    query: explainQuerySchema,
    response: 'Explanation',
    errors: [],
  },
  {
    method: 'get',
    path: '/bridge/refunds/{id}',
    operationId: 'getRefund',
    tag: 'Operations',
    summary: 'The refund of a failed operation',
    description:
      'Operators decide about each refund. It is paid where the transfer arrived, to its payer; of ETH on Ethereum less the gas.',
    parameters: refundParametersSchema,
    response: 'Refund',
    errors: ['OPERATION_NOT_FOUND'],
  },
  {
    method: 'get',
    path: '/health',
    operationId: 'getHealth',
    tag: 'Service',
    summary: 'Whether the service and everything that it needs works',
    description: '503 with the same body when a component is down or a chain is halted.',
    response: 'Health',
    statuses: [200, 503],
    errors: [],
  },
  {
    method: 'get',
    path: '/health/live',
    operationId: 'getLiveness',
    tag: 'Service',
    summary: 'Whether the process answers',
    description: 'For the supervisor of the process: when it does not answer, a restart helps.',
    response: 'Health',
    errors: [],
  },
  {
    method: 'get',
    path: '/health/ready',
    operationId: 'getReadiness',
    tag: 'Service',
    summary: 'Whether requests should come to this replica',
    description: 'For load balancers: 503 while requests should go to another replica.',
    response: 'Health',
    statuses: [200, 503],
    errors: [],
  },
  {
    method: 'get',
    path: '/openapi.json',
    operationId: 'getDocument',
    tag: 'Service',
    summary: 'This document',
    description: 'OpenAPI 3.1, from the schemas that check the requests. For code generators.',
    response: 'Document',
    errors: [],
    hasETag: true,
  },
  {
    method: 'get',
    path: '/reference',
    operationId: 'getReference',
    tag: 'Service',
    summary: 'This document as a page',
    description: 'For people: it shows every endpoint, and sends requests.',
    response: 'Page',
    errors: [],
    contentType: 'text/html',
  },
];
