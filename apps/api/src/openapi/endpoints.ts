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
  type ErrorCode,
} from '@causeway/protocol';
import type { z } from 'zod';
import type { ResponseName } from './schemas.js';

/** An endpoint as the document describes it. The schemas are those that check its requests. */
export interface Endpoint {
  readonly method: 'get' | 'post';
  /** Below /api/v1, with parameters in braces. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
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
  /** Server-sent events, with that response as the data of each. */
  readonly isStream?: boolean;
}

/** What any endpoint may answer: to a wrong or too frequent request, and when the service fails. */
export const COMMON_ERRORS: readonly ErrorCode[] = [
  'VALIDATION_ERROR',
  'REQUEST_TIMEOUT',
  'URI_TOO_LONG',
  'HEADERS_TOO_LARGE',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
];

/** What an endpoint with a body may answer beside them. */
export const BODY_ERRORS: readonly ErrorCode[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

/** The public endpoints. */
export const ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'get',
    path: '/bridge/config',
    operationId: 'getConfig',
    summary: 'Chains, contracts, tokens, terms, and the typed data of intents',
    response: 'Config',
    errors: [],
    hasETag: true,
  },
  {
    method: 'get',
    path: '/bridge/limits',
    operationId: 'getLimits',
    summary: 'Fees, minimums, maximums and deliverable amounts of both directions',
    response: 'Limits',
    errors: [],
    hasETag: true,
  },
  {
    method: 'get',
    path: '/bridge/fee-quote',
    operationId: 'getFeeQuote',
    summary: 'Fee and output of a transfer, and whether it could be delivered now',
    query: feeQuoteQuerySchema,
    response: 'FeeQuote',
    errors: ['BELOW_MINIMUM'],
  },
  {
    method: 'post',
    path: '/bridge/transactions',
    operationId: 'writeTransactions',
    summary: 'The unsigned calls or the typed data of a transfer',
    body: transactionsBodySchema,
    response: 'Transactions',
    errors: ['BELOW_MINIMUM', 'SERVICE_PAUSED'],
  },
  {
    method: 'post',
    path: '/bridge/xcn-withdraw-intent',
    operationId: 'registerIntent',
    summary: 'Registers a signed intent to withdraw native XCN',
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
    summary: 'Names the transaction that pays an intent',
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
    summary: 'One operation, by at least one of its identifiers',
    query: statusQuerySchema,
    response: 'BridgeOperation',
    errors: ['OPERATION_NOT_FOUND'],
  },
  {
    method: 'get',
    path: '/bridge/history',
    operationId: 'getHistory',
    summary: 'The operations of a wallet, newest first, or those with some ids',
    query: historyQuerySchema,
    response: 'History',
    errors: [],
  },
  {
    method: 'get',
    path: '/bridge/events',
    operationId: 'streamEvents',
    summary: 'Server-sent events of an operation, a transaction or a wallet: event `operation`, or `resync` with `{}`',
    query: eventsQuerySchema,
    headers: eventsHeadersSchema,
    response: 'BridgeOperation',
    errors: [],
    isStream: true,
  },
  {
    method: 'get',
    path: '/bridge/explain',
    operationId: 'explain',
    summary: 'What became of a hash, and what to do',
    query: explainQuerySchema,
    response: 'Explanation',
    errors: [],
  },
  {
    method: 'get',
    path: '/bridge/refunds/{id}',
    operationId: 'getRefund',
    summary: 'The refund of a failed operation',
    parameters: refundParametersSchema,
    response: 'Refund',
    errors: ['OPERATION_NOT_FOUND'],
  },
  {
    method: 'get',
    path: '/health',
    operationId: 'getHealth',
    summary: 'Whether the service and everything that it needs works',
    response: 'Health',
    statuses: [200, 503],
    errors: [],
  },
  {
    method: 'get',
    path: '/health/live',
    operationId: 'getLiveness',
    summary: 'Whether the process answers',
    response: 'Health',
    errors: [],
  },
  {
    method: 'get',
    path: '/health/ready',
    operationId: 'getReadiness',
    summary: 'Whether requests should come to this replica',
    response: 'Health',
    statuses: [200, 503],
    errors: [],
  },
];
