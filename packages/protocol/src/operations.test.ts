import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { concatHex, keccak256, pad, toHex } from 'viem';
import {
  canTransition,
  isTerminal,
  OPERATION_STATUSES,
  operationId,
  type OperationFacts,
  type OperationStatus,
  computeStatus,
} from './operations.js';

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

describe('computeStatus', () => {
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
    ['FAILED', { originTxHash: HASH, failureReason: 'SIGNATURE_REVOKED' }],
  ])('%s from %o', (status, facts) => {
    expect(computeStatus({ ...NOTHING, ...facts })).toBe(status);
  });
});

describe('canTransition', () => {
  const allowed = new Set([
    'null>PENDING_ORIGIN_TX',
    'null>CONFIRMING',
    'null>FAILED',
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
          const next = computeStatus(facts);
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

  it('allows every walk of facts: reorgs, expiry, delays, failures, in any order the stages can write them', () => {
    type Step = readonly [name: string, possible: (now: OperationFacts) => boolean, change: Partial<OperationFacts>];
    const open = (now: OperationFacts) =>
      now.failureReason === null && now.expiredAtMs === null && now.settledAtMs === null;
    const confirming = (now: OperationFacts) => open(now) && now.originTxHash !== null && now.finalizedAtMs === null;
    const final = (now: OperationFacts) => open(now) && now.finalizedAtMs !== null;
    const steps: readonly Step[] = [
      ['bind', (now) => open(now) && now.originTxHash === null, { originTxHash: HASH }],
      ['reorg', confirming, { originTxHash: null }],
      ['finalize', confirming, { finalizedAtMs: 1 }],
      ['expire', (now) => open(now) && now.originTxHash === null, { expiredAtMs: 1 }],
      ['broadcast', final, { destinationTxHash: HASH, delayedReason: null }],
      ['delay', final, { delayedReason: 'NODE_UNAVAILABLE' }],
      [
        'settle',
        (now) => final(now) && now.destinationTxHash !== null && now.delayedReason === null,
        { settledAtMs: 2 },
      ],
      ['fail', (now) => open(now) && now.originTxHash !== null, { failureReason: 'SIGNATURE_REVOKED' }],
    ];
    const after = (facts: OperationFacts, change: Partial<OperationFacts>): OperationFacts => ({ ...facts, ...change });
    const toTheEnd = steps.filter(([name]) => ['bind', 'finalize', 'broadcast', 'settle'].includes(name));
    const reached = new Set<OperationStatus>();
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...steps), { maxLength: 12 }), (walk) => {
        let facts = NOTHING;
        let status = computeStatus(facts);
        expect(canTransition(null, status)).toBe(true);
        for (const [name, possible, change] of walk) {
          if (!possible(facts)) continue;
          facts = after(facts, change);
          const next = computeStatus(facts);
          expect([name, status, next, next === status || canTransition(status, next)]).toEqual([
            name,
            status,
            next,
            true,
          ]);
          status = next;
          reached.add(status);
        }
        // The terminal statuses are those after which no stage has anything left to write.
        expect(isTerminal(status)).toBe(!open(facts));
      }),
      // Random walks are rarely completed.
      { numRuns: 2_000, examples: [[toTheEnd]] },
    );
    expect(reached).toEqual(new Set(OPERATION_STATUSES));
  });

  it('a deposit or burn that a reorg removes leaves no record, and may be seen again', () => {
    expect(canTransition('CONFIRMING', null)).toBe(true);
    expect(canTransition(null, 'CONFIRMING')).toBe(true);
    for (const later of OPERATION_STATUSES.filter((status) => status !== 'CONFIRMING'))
      expect(canTransition(later, null)).toBe(false);
  });
});

describe('computeStatus, over all 128 combinations of facts', () => {
  const order = [
    ['failureReason', 'FAILED'],
    ['expiredAtMs', 'EXPIRED'],
    ['settledAtMs', 'COMPLETED'],
    ['delayedReason', 'DELAYED'],
    ['destinationTxHash', 'PROCESSING_DESTINATION'],
    ['finalizedAtMs', 'AWAITING_RELAY'],
    ['originTxHash', 'CONFIRMING'],
  ] as const;

  it('the first fact in the order decides; a time of 0 and an empty reason are facts too', () => {
    for (let mask = 0; mask < 128; mask += 1) {
      const present = order.filter((_, bit) => (mask & (1 << bit)) !== 0);
      const facts = Object.fromEntries(
        present.map(([name]) => [name, name.endsWith('Ms') ? 0 : name.endsWith('Reason') ? '' : HASH]),
      );
      expect(computeStatus({ ...NOTHING, ...facts })).toBe(present[0]?.[1] ?? 'PENDING_ORIGIN_TX');
    }
  });
});

const LOCK = '0x5fbdb2315678afecb367f032d93f642f64180aa3';

describe('operationId', () => {
  it('is the hash of three words, packed by hand', () => {
    const words = concatHex([toHex(31_337, { size: 32 }), pad(LOCK, { size: 32 }), toHex(7n, { size: 32 })]);
    expect(operationId(31_337, LOCK, 7n)).toBe(keccak256(words));
  });

  it('equals the hash that ethers computes for abi.encode(uint256 1, address, uint256 7)', () => {
    const expected = '0x9fda0f6842c4c7e4a3872c2dd7664578d94d9524346ed1d64b1c0c16f0cc2a10';
    expect(operationId(1, LOCK, 7n)).toBe(expected);
    expect(operationId(1, '0x5FbDB2315678afecb367f032d93F642f64180aa3', 7n)).toBe(expected);
  });

  it('differs by chain, contract and number', () => {
    const ids = [
      operationId(1, LOCK, 0n),
      operationId(327, LOCK, 0n),
      operationId(1, LOCK, 1n),
      operationId(1, `0x${'11'.repeat(20)}`, 0n),
    ];
    expect(new Set(ids).size).toBe(4);
  });
});
