import type { ErrorCode } from '@causeway/protocol';
import {
  bindOriginBodySchema,
  eventsHeadersSchema,
  eventsQuerySchema,
  explainQuerySchema,
  feeQuoteQuerySchema,
  historyQuerySchema,
  intentBodySchema,
  operationsQuerySchema,
  refundParametersSchema,
  reservesQuerySchema,
  statusQuerySchema,
  transactionsBodySchema,
} from '@causeway/protocol/rest';
import type { z } from 'zod';
import type { ResponseName } from './schemas.js';

/** The sections of the API, with their descriptions. */
export const TAGS = {
  Terms: 'Before a user signs: contracts, fees, limits, and whether an amount can be delivered now.',
  Transfers: 'Begins a transfer by unsigned transactions, or a withdrawal of XCN by a signed intent.',
  Operations: 'Follows operations from origin to delivery or refund, by polling or events.',
  Service: 'The health of this service, and its reference.',
} as const;

/** The content type of server-sent events. */
export const STREAM = 'text/event-stream';

/** An endpoint of the document. Its schemas also check its requests. */
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
  /** Statuses of that response. Default: 200. */
  readonly statuses?: readonly number[];
  /** Error codes in addition to the common ones. */
  readonly errors: readonly ErrorCode[];
  /** Sends an ETag, and 304 for a matching If-None-Match. */
  readonly hasETag?: boolean;
  /** Sends Age: its values come from the chains and can be older than the response. */
  readonly hasAge?: boolean;
  /** Default: JSON. For server-sent events, `response` describes the data of each event. */
  readonly contentType?: typeof STREAM | 'text/html';
}

/** Errors of any endpoint: for invalid or too frequent requests, and when the service fails. */
export const COMMON_ERRORS: readonly ErrorCode[] = [
  'VALIDATION_ERROR',
  'REQUEST_TIMEOUT',
  'URI_TOO_LONG',
  'HEADERS_TOO_LARGE',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
];

/** Additional errors of endpoints with a body. */
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
      'Everything that differs between environments. Do not hard-code it; revalidate your copy with the ETag.',
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
      'For each direction: whether it is open, its confirmations and its hold. For each asset: the fee, the bounds of one amount, and how much could be delivered now.',
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
      'What a transfer of this amount costs and delivers at present. Nothing is reserved. Above `availableAmount`, an operation can begin but is delayed until it can be delivered.',
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
      'Calls for the sender to sign and send in order, or with `byIntent` the typed data of an intent. Nothing is stored or reserved.',
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
      'Fixes the terms of a withdrawal, and names the wallet that the sender pays. Repeating the same `idempotencyKey` and body returns the same response.',
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
      'Pairs an intent with the transaction that pays it. The call can be repeated. The bridge also finds the payment without it.',
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
      'The present state of the operation. Poll every 5 to 10 seconds until it is COMPLETED, FAILED or EXPIRED, or follow its events.',
    query: statusQuerySchema,
    response: 'BridgeOperation',
    errors: ['OPERATION_NOT_FOUND'],
  },
  {
    method: 'get',
    path: '/bridge/history',
    operationId: 'getHistory',
    tag: 'Operations',
    summary: 'The operations of a wallet, newest first, or those with given ids',
    description:
      'Follow `nextCursor` until it is null: with `role` or `status`, a page can be shorter than `limit` although more follow.',
    query: historyQuerySchema,
    response: 'History',
    errors: [],
  },
  {
    method: 'get',
    path: '/bridge/operations',
    operationId: 'listOperations',
    tag: 'Operations',
    summary: 'The operations of all wallets, newest first',
    description:
      'The latest operations, also by asset, direction and status in any combination. Follow `nextCursor` until it is null.',
    query: operationsQuerySchema,
    response: 'Operations',
    errors: [],
  },
  {
    method: 'get',
    path: '/bridge/events',
    operationId: 'streamEvents',
    tag: 'Operations',
    summary: 'Server-sent events of an operation, a transaction or a wallet',
    description:
      'The response is a stream that stays open, so read it event by event. The event `operation` has the present state of an operation. The event `resync` has `{}`: changes before it are missing, so read the history. `Last-Event-ID` resumes after an event. Heartbeats come every 15 seconds.',
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
    summary: 'What happened to a hash, and what to do',
    description:
      'A verdict about any hash, as a code and in words. The hash can be of an origin, a delivery or an operation.',
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
      'Operators decide about each refund. It is paid to the payer, on the chain where the transfer arrived; ETH on Ethereum is refunded less the gas.',
    parameters: refundParametersSchema,
    response: 'Refund',
    errors: ['OPERATION_NOT_FOUND'],
  },
  {
    method: 'get',
    path: '/bridge/state',
    operationId: 'getState',
    tag: 'Service',
    summary: 'The state of each part of the bridge',
    description:
      'Chains, relayer, attesters, directions, reserves and announced changes, renewed every three seconds. It is 200 whatever the state: a part that cannot be read is null or has a problem.',
    response: 'State',
    hasAge: true,
    errors: [],
  },
  {
    method: 'get',
    path: '/bridge/reserves',
    operationId: 'getReserves',
    tag: 'Service',
    summary: 'The reserves, as the attesters stated them each day',
    description:
      "One statement a day for a pair of final blocks, computed by each attester from its own nodes and signed in BridgeLock's EIP-712 domain. Each names the digest of the one before. Without attesters there are none. Follow `nextBefore` until it is null.",
    query: reservesQuerySchema,
    response: 'Reserves',
    errors: [],
  },
  {
    method: 'get',
    path: '/health',
    operationId: 'getHealth',
    tag: 'Service',
    summary: 'Whether the service and its dependencies work',
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
    description: 'For the process supervisor: restart the process when it does not answer.',
    response: 'Health',
    errors: [],
  },
  {
    method: 'get',
    path: '/health/ready',
    operationId: 'getReadiness',
    tag: 'Service',
    summary: 'Whether this replica should receive requests',
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
    description: 'OpenAPI 3.1, generated from the schemas that check the requests. For code generators.',
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
    description: 'For people: shows every endpoint and sends requests.',
    response: 'Page',
    errors: [],
    contentType: 'text/html',
  },
];
