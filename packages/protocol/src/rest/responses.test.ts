import { describe, expect, it } from '@jest/globals';
import { ERROR_CODES } from '../errors.js';
import { bridgeOperationResponseSchema, historyResponseSchema } from './operations.js';
import { bindOriginResponseSchema, intentResponseSchema } from './intents.js';
import { feeQuoteResponseSchema, limitsResponseSchema } from './quotes.js';
import { errorResponseSchema, healthResponseSchema } from './service.js';

const HASH = `0x${'ab'.repeat(32)}`;
const ADDRESS = '0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc';
const TIME = '2026-01-02T03:04:05.000Z';

const operation = {
  id: HASH,
  asset: 'ETH',
  direction: 'PARTNER_TO_ETHEREUM',
  status: 'AWAITING_RELAY',
  amount: '10000000000000000',
  amountFormatted: '0.01',
  fee: { amount: '3000000000000000', formatted: '0.003', bps: 25 },
  outputAmount: '7000000000000000',
  outputAmountFormatted: '0.007',
  originChainId: 327,
  destinationChainId: 1,
  originTxHash: HASH,
  destinationTxHash: null,
  depositId: null,
  withdrawId: HASH,
  intentId: null,
  sender: ADDRESS,
  recipient: ADDRESS,
  originConfirmations: 6,
  requiredConfirmations: 6,
  estimatedCompletionTime: TIME,
  quotedCompletionTime: TIME,
  relayerWalletAddress: null,
  unpayableReason: null,
  stalledReason: null,
  holdUntil: TIME,
  settlement: null,
  delayedReason: null,
  delayedSince: null,
  failureReason: null,
  failureMessage: null,
  refundId: null,
  otherOperationIds: [],
  createdAt: TIME,
  updatedAt: TIME,
};
const settlement = {
  chainId: 1,
  txHash: HASH,
  blockNumber: 7,
  recipient: ADDRESS,
  amount: '7000000000000000',
  amountFormatted: '0.007',
  settledAt: TIME,
  credited: false,
};

const deliverability = { deliverable: false, undeliverableReason: 'OUTFLOW_LIMIT', deliverableAt: TIME };

describe('BridgeOperationResponse', () => {
  it('takes a withdrawal in its hold, and a completed one', () => {
    expect(bridgeOperationResponseSchema.parse(operation)).toEqual(operation);
    const completed = { ...operation, status: 'COMPLETED', holdUntil: null, settlement };
    expect(bridgeOperationResponseSchema.parse(completed)).toEqual(completed);
  });

  it('takes an intent that has no transaction: neither confirmations, nor an estimate, nor a settlement', () => {
    const pending = {
      ...operation,
      asset: 'XCN',
      status: 'PENDING_ORIGIN_TX',
      originTxHash: null,
      intentId: HASH,
      originConfirmations: 0,
      estimatedCompletionTime: null,
      holdUntil: null,
    };
    expect(bridgeOperationResponseSchema.parse(pending)).toEqual(pending);
  });

  it.each(Object.keys(operation))('needs %s', (key) => {
    expect(bridgeOperationResponseSchema.safeParse({ ...operation, [key]: undefined }).success).toBe(false);
  });

  it.each(Object.keys(settlement))('needs settlement.%s', (key) => {
    const incomplete = { ...operation, settlement: { ...settlement, [key]: undefined } };
    expect(bridgeOperationResponseSchema.safeParse(incomplete).success).toBe(false);
  });

  it.each<[string, object]>([
    ['an amount that is a number', { amount: 10 }],
    ['an amount with a sign', { amount: '-1' }],
    ['an exponent', { amountFormatted: '1e-2' }],
    ['a time without a zone', { createdAt: '2026-01-02T03:04:05' }],
    ['a time that is not UTC', { createdAt: '2026-01-02T03:04:05+02:00' }],
    ['an unknown status', { status: 'DONE' }],
    ['an unknown direction', { direction: 'UP' }],
  ])('refuses %s', (_, change) => {
    expect(bridgeOperationResponseSchema.safeParse({ ...operation, ...change }).success).toBe(false);
  });
});

describe('the other responses', () => {
  it('history: operations and a page', () => {
    const body = { operations: [operation], pagination: { limit: 10, offset: 0, hasMore: true, nextCursor: HASH } };
    expect(historyResponseSchema.parse(body)).toEqual(body);
    expect(historyResponseSchema.safeParse({ operations: [] }).success).toBe(false);
  });

  it('fee quote', () => {
    const body = {
      token: 'USDC',
      direction: 'PARTNER_TO_ETHEREUM',
      inputAmount: '10000000',
      inputAmountFormatted: '10',
      feeAmount: '5000000',
      feeAmountFormatted: '5',
      feeBps: 25,
      outputAmount: '5000000',
      outputAmountFormatted: '5',
      minimumAmount: '10000000',
      maximumAmount: '20000000',
      availableAmount: '15000000',
      availableAmountFormatted: '15',
      paused: false,
      ...deliverability,
      estimatedSeconds: 3_756,
    };
    expect(feeQuoteResponseSchema.parse(body)).toEqual(body);
  });

  it('limits: both directions', () => {
    const assets = [
      {
        token: 'XCN',
        feeBps: 25,
        minimumFee: '1',
        minimumFeeFormatted: '0.000000000000000001',
        minimumAmount: '2',
        minimumAmountFormatted: '0.000000000000000002',
        maximumAmount: '4',
        maximumAmountFormatted: '0.000000000000000004',
        mayBegin: true,
        availableAmount: '3',
        availableAmountFormatted: '0.000000000000000003',
        outflowRoom: '3',
        outflowRoomFormatted: '0.000000000000000003',
      },
    ];
    const terms = { requiredConfirmations: 6, holdSeconds: 3_600, estimatedSeconds: 3_756 };
    const way = { paused: false, deliveriesPaused: false, undeliverableReason: null, ...terms, assets };
    const body = { ETHEREUM_TO_PARTNER: way, PARTNER_TO_ETHEREUM: way };
    expect(limitsResponseSchema.parse(body)).toEqual(body);
    expect(limitsResponseSchema.safeParse({ ETHEREUM_TO_PARTNER: way }).success).toBe(false);
  });

  it('intent and bind-origin', () => {
    const body = {
      intentId: HASH,
      relayerWalletAddress: ADDRESS,
      status: 'PENDING_ORIGIN_TX',
      amountAtomic: '5000000000000000000000',
      amountFormatted: '5000',
      fee: { amount: '1000000000000000000000', formatted: '1000', bps: 25 },
      outputAmount: '4000000000000000000000',
      outputAmountFormatted: '4000',
      expiresAt: TIME,
      ...deliverability,
    };
    expect(intentResponseSchema.parse(body)).toEqual(body);
    const answer = { intentId: HASH, originTxHash: HASH, status: 'CONFIRMING' };
    expect(bindOriginResponseSchema.parse(answer)).toEqual(answer);
  });

  it('health: the same shape when healthy and when not', () => {
    const components = { database: { connected: true, latencyMs: 1 }, relayer: { connected: false, latencyMs: null } };
    for (const status of ['healthy', 'unhealthy']) {
      expect(healthResponseSchema.parse({ status, components })).toEqual({ status, components });
    }
    expect(healthResponseSchema.safeParse({ status: 'healthy', components: { database: {} } }).success).toBe(false);
  });

  it('errors: every code, and no other', () => {
    for (const error of Object.keys(ERROR_CODES))
      expect(errorResponseSchema.safeParse({ error, message: 'x' }).success).toBe(true);
    expect(errorResponseSchema.safeParse({ error: 'TEAPOT', message: 'x' }).success).toBe(false);
  });
});
