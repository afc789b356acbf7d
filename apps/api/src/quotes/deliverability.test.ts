import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { availableAmount, computeDeliverability, estimateTransfer, type DeliveryFunds } from './deliverability.js';

const NOW = Date.parse('2026-01-02T03:04:05.000Z');
const MAXIMUM = 900n;
/** 1,000 can leave per hour, 400 of it now; 700 are held. */
const release: DeliveryFunds = {
  direction: 'PARTNER_TO_ETHEREUM',
  stoppedBy: null,
  isHalted: false,
  room: 400n,
  capacity: 1_000n,
  windowSeconds: 3_600n,
  held: 700n,
};
const mint: DeliveryFunds = { ...release, direction: 'ETHEREUM_TO_PARTNER' };
const timing = {
  ethereumConfirmations: 12,
  partnerConfirmations: 6,
  holdSeconds: 600,
  blockSeconds: { ethereum: 12, partner: 2 },
};
const after = (seconds: number) => new Date(NOW + seconds * 1_000).toISOString();

describe('computeDeliverability', () => {
  it.each<[string, DeliveryFunds, bigint, string | null, string | null]>([
    ['the whole room can be delivered', release, 400n, null, null],
    ['more waits until the limit has refilled', release, 401n, 'OUTFLOW_LIMIT', after(3.6 + 1)],
    ['more than the collateral waits indefinitely', release, 701n, 'COLLATERAL_SHORT', null],
    ['more than the float likewise', mint, 701n, 'FLOAT_SHORT', null],
    ['minted tokens need no float', { ...mint, held: null, room: 900n }, 800n, null, null],
    [
      'above a lowered limit, the time is unknown',
      { ...release, capacity: 300n, room: 0n },
      301n,
      'OUTFLOW_LIMIT',
      null,
    ],
    ['above a limit of 0, too', { ...release, capacity: 0n, room: 0n }, 1n, 'OUTFLOW_LIMIT', null],
    ['waiting operations go first', { ...release, room: -600n }, 400n, 'OUTFLOW_LIMIT', after(3_600 + 1)],
    ['no delivery while paused', { ...release, stoppedBy: 'PAUSED' }, 1n, 'PAUSED', null],
    ['no delivery while no relayer works', { ...release, stoppedBy: 'RELAYER_AWAY' }, 1n, 'RELAYER_AWAY', null],
  ])('%s', (_, funds, amount, undeliverableReason, deliverableAt) => {
    const deliverable = undeliverableReason === null;
    expect(computeDeliverability(funds, amount, NOW)).toEqual({ deliverable, undeliverableReason, deliverableAt });
  });
});

describe('availableAmount', () => {
  it.each<[string, DeliveryFunds, bigint]>([
    ['the room', release, 400n],
    ['the collateral', { ...release, room: 1_000n }, 700n],
    ['the maximum of one operation', { ...mint, room: 1_000n, held: null }, MAXIMUM],
    ['zero when more is waiting than held', { ...release, held: -5n }, 0n],
    ['zero while paused', { ...release, stoppedBy: 'PAUSED' }, 0n],
  ])('is %s', (_, funds, expected) => {
    expect(availableAmount(funds, MAXIMUM)).toBe(expected);
  });

  it('is the highest amount that is deliverable', () => {
    const amount = fc.bigInt({ min: -2_000n, max: 2_000n });
    const held = fc.option(amount, { nil: null });
    fc.assert(
      fc.property(amount, held, fc.bigInt({ min: 0n, max: 2_000n }), fc.boolean(), (room, holds, spare, isPaused) => {
        const funds = {
          ...release,
          room,
          held: holds,
          stoppedBy: isPaused ? ('PAUSED' as const) : null,
          capacity: (room > 0n ? room : 0n) + spare,
        };
        const available = availableAmount(funds, 3_000n);
        if (available > 0n) expect(computeDeliverability(funds, available, NOW).deliverable).toBe(true);
        expect(computeDeliverability(funds, available + 1n, NOW).deliverable).toBe(false);
      }),
    );
  });
});

describe('estimateTransfer', () => {
  const estimate = (funds: DeliveryFunds, amount: bigint) =>
    estimateTransfer(funds, computeDeliverability(funds, amount, NOW), timing, NOW);

  it('is the usual time while the amount can be delivered', () => {
    expect(estimate(release, 400n)).toBe(6 * 2 + 600 + 12 * 12);
    expect(estimate(mint, 400n)).toBe(12 * 12 + 6 * 2);
  });

  it('counts a refill that takes longer than confirmations and hold', () => {
    expect(estimate(release, 500n)).toBe(6 * 2 + 600 + 12 * 12);
    expect(estimate({ ...release, room: 0n }, 700n)).toBe(2_521 + 144);
  });

  it('is null when it is unknown', () => {
    expect(estimate(release, 701n)).toBeNull();
    expect(estimate({ ...release, stoppedBy: 'PAUSED' }, 1n)).toBeNull();
  });
});
