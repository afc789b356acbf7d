import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canTransition } from './can-transition.js';
import { isTerminal, OPERATION_STATUSES, type OperationStatus } from './operation-status.js';
import { statusOf, type OperationFacts } from './status-of.js';

const NOTHING: OperationFacts = {
  originTxHash: null,
  finalizedAtMs: null,
  destinationTxHash: null,
  delayedReason: null,
  settledAtMs: null,
  failureReason: null,
  expiredAtMs: null,
};
const HASH = `0x${'ab'.repeat(32)}` as const;

describe('statusOf', () => {
  it.each<[OperationStatus, Partial<OperationFacts>]>([
    ['PENDING_ORIGIN_TX', {}],
    ['CONFIRMING', { originTxHash: HASH }],
    ['AWAITING_RELAY', { originTxHash: HASH, finalizedAtMs: 1 }],
    ['PROCESSING_DESTINATION', { originTxHash: HASH, finalizedAtMs: 1, destinationTxHash: HASH }],
    ['DELAYED', { originTxHash: HASH, finalizedAtMs: 1, delayedReason: 'FLOAT_SHORT' }],
    [
      'DELAYED',
      { originTxHash: HASH, finalizedAtMs: 1, destinationTxHash: HASH, delayedReason: 'DESTINATION_REVERTED' },
    ],
    ['COMPLETED', { originTxHash: HASH, finalizedAtMs: 1, destinationTxHash: HASH, settledAtMs: 2 }],
    ['EXPIRED', { expiredAtMs: 1 }],
    ['FAILED', { originTxHash: HASH, failureReason: 'x' }],
  ])('%s from %o', (status, facts) => {
    expect(statusOf({ ...NOTHING, ...facts })).toBe(status);
  });
});

describe('canTransition', () => {
  const allowed = new Set([
    'null>PENDING_ORIGIN_TX',
    'null>CONFIRMING',
    'PENDING_ORIGIN_TX>CONFIRMING',
    'PENDING_ORIGIN_TX>EXPIRED',
    'CONFIRMING>AWAITING_RELAY',
    'CONFIRMING>PENDING_ORIGIN_TX',
    'CONFIRMING>FAILED',
    'CONFIRMING>null',
    'AWAITING_RELAY>PROCESSING_DESTINATION',
    'AWAITING_RELAY>DELAYED',
    'AWAITING_RELAY>FAILED',
    'PROCESSING_DESTINATION>COMPLETED',
    'PROCESSING_DESTINATION>DELAYED',
    'PROCESSING_DESTINATION>FAILED',
    'DELAYED>PROCESSING_DESTINATION',
    'DELAYED>FAILED',
  ]);

  it('has exactly the steps of the table', () => {
    const all = [null, ...OPERATION_STATUSES];
    const found = all.flatMap((from) => all.filter((to) => canTransition(from, to)).map((to) => `${from}>${to}`));
    expect(new Set(found)).toEqual(allowed);
  });

  it('leads nowhere from a terminal status', () => {
    for (const from of OPERATION_STATUSES.filter(isTerminal)) {
      for (const to of [null, ...OPERATION_STATUSES]) expect(canTransition(from, to)).toBe(false);
    }
  });

  it('allows every way an operation takes through the pipeline, with any number of delays and retries', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(fc.boolean(), { maxLength: 6 }), (isIntent, retries) => {
        let facts = NOTHING;
        let status: OperationStatus | null = null;
        const step = (change: Partial<OperationFacts>) => {
          facts = { ...facts, ...change };
          const next = statusOf(facts);
          expect(next === status || canTransition(status, next)).toBe(true);
          status = next;
        };
        if (isIntent) step({});
        step({ originTxHash: HASH });
        step({ finalizedAtMs: 1 });
        for (const broadcastFirst of retries) {
          if (broadcastFirst) step({ destinationTxHash: HASH, delayedReason: null });
          step({ delayedReason: 'NODE_UNAVAILABLE' });
        }
        step({ destinationTxHash: HASH, delayedReason: null });
        step({ settledAtMs: 2 });
        expect(status).toBe('COMPLETED');
      }),
    );
  });
});
