import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DELAY_REASONS, type DelayReason } from '@causeway/protocol';
import {
  delayAfterAttempt,
  delayAfterRevert,
  getBroadcastDelay,
  computeRefillDelay,
  getRejectionDelay,
  getSimulationDelay,
} from './delivery-delay.js';

const ms = ({ nextAttemptAt }: { nextAttemptAt: Date }) => nextAttemptAt.getTime();

describe('the delay after an attempt', () => {
  it('doubles from two seconds without end, up to five minutes, or 30 seconds for causes that a read can recheck', () => {
    const pauses = (reason: DelayReason) =>
      [0, 1, 2, 3, 7, 8, 50, 1_000_000].map((attempts) => ms(delayAfterAttempt(reason, 0, attempts)));
    expect(pauses('NODE_REFUSED')).toEqual([2_000, 4_000, 8_000, 16_000, 256_000, 300_000, 300_000, 300_000]);
    expect(pauses('FLOAT_SHORT')).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000]);
  });

  it('always ends in the future', () => {
    fc.assert(
      fc.property(fc.constantFrom(...DELAY_REASONS), fc.nat({ max: 10 ** 13 }), fc.nat(), (reason, now, attempts) => {
        expect(ms(delayAfterAttempt(reason, now, attempts))).toBeGreaterThan(now);
      }),
    );
  });
});

describe('the delay after a revert', () => {
  it('grows fourfold from a minute up to a day, without a call to the chain', () => {
    const minutes = [1, 2, 3, 4, 5, 6, 7, 1_000].map((reverts) => ms(delayAfterRevert(0, reverts)) / 60_000);
    expect(minutes).toEqual([1, 4, 16, 64, 256, 1_024, 1_440, 1_440]);
    expect(delayAfterRevert(0, 1_000).reason).toBe('DESTINATION_REVERTED');
  });
});

describe('the delay until a refill', () => {
  it.each([
    [60_000, 60_000],
    [10, 2_000],
    [86_400_000, 180_000],
    [null, 180_000],
  ])('of %s ms is %d ms', (refillMs, pause) => {
    expect(computeRefillDelay(0, refillMs)).toEqual({ reason: 'OUTFLOW_LIMIT', nextAttemptAt: new Date(pause) });
  });
});

describe('the reason of a delay', () => {
  it.each([
    [{ kind: 'reverted', errorName: 'OutflowLimitExceeded' }, 'OUTFLOW_LIMIT'],
    [{ kind: 'reverted', errorName: 'InsufficientCollateral' }, 'COLLATERAL_SHORT'],
    [{ kind: 'reverted', errorName: 'Paused' }, 'PAUSED'],
    [{ kind: 'reverted', errorName: 'OtherError' }, 'DESTINATION_REVERTED'],
    [{ kind: 'insufficient-funds' }, 'FLOAT_SHORT'],
    [{ kind: 'unreachable', reason: 'timeout' }, 'NODE_UNAVAILABLE'],
  ] as const)('of %o is %s', (simulation, reason) => {
    expect(getSimulationDelay(simulation, 'ethereum')).toBe(reason);
  });

  it('names the float when BridgeMint, which has no collateral, lacks coin', () => {
    const simulation = { kind: 'reverted', errorName: 'InsufficientCollateral' } as const;
    expect(getSimulationDelay(simulation, 'partner')).toBe('FLOAT_SHORT');
    expect(getSimulationDelay({ kind: 'reverted', errorName: 'Paused' }, 'partner')).toBe('PAUSED');
  });

  it.each([
    ['balance-short', 'FLOAT_SHORT'],
    ['fee-per-gas', 'FEES_ABOVE_CAP'],
    ['fee-per-delivery', 'FEES_ABOVE_CAP'],
    ['fees-of-the-day', 'FEES_ABOVE_CAP'],
  ] as const)('of a call rejected for %s is %s', (rejected, reason) => {
    expect(getRejectionDelay({ kind: 'rejected', reason: rejected })).toBe(reason);
  });

  it('is null when a transaction is or may be pending', () => {
    for (const kind of ['accepted', 'known', 'nonce-used', 'underpriced'] as const)
      expect(getBroadcastDelay({ kind })).toBeNull();
    expect(getBroadcastDelay({ kind: 'unreachable', reason: '' })).toBeNull();
    expect(getBroadcastDelay({ kind: 'insufficient-funds' })).toBe('FLOAT_SHORT');
    expect(getBroadcastDelay({ kind: 'refused', reason: '' })).toBe('NODE_REFUSED');
  });
});
