import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { delayAfterRevert, delayOfBroadcast, delayOfSimulation, nextAttemptAt } from './delivery-delay.js';

describe('nextAttemptAt', () => {
  it('doubles the pause from two seconds up to five minutes, without end', () => {
    const pauses = [0, 1, 2, 3, 7, 8, 50, 1_000_000].map((attempts) => nextAttemptAt(0, attempts).getTime());
    expect(pauses).toEqual([2_000, 4_000, 8_000, 16_000, 256_000, 300_000, 300_000, 300_000]);
  });

  it('is always later than now', () => {
    fc.assert(
      fc.property(fc.nat({ max: 10 ** 13 }), fc.nat(), (now, attempts) => nextAttemptAt(now, attempts).getTime() > now),
    );
  });
});

describe('delayAfterRevert', () => {
  it('lengthens the pause each time, and stops after the fifth revert', () => {
    const minutes = [1, 2, 3, 4].map(
      (reverts) => (delayAfterRevert(0, reverts).nextAttemptAt?.getTime() ?? 0) / 60_000,
    );
    expect(minutes).toEqual([1, 4, 16, 64]);
    expect(delayAfterRevert(0, 4).reason).toBe('DESTINATION_REVERTED');
    for (const reverts of [5, 6, 1_000])
      expect(delayAfterRevert(0, reverts)).toEqual({ reason: 'KEEPS_REVERTING', nextAttemptAt: null });
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
    expect(delayOfSimulation(simulation, 'ethereum')).toBe(reason);
  });

  it('names the float when BridgeMint lacks coin, which has no collateral', () => {
    const simulation = { kind: 'reverted', errorName: 'InsufficientCollateral' } as const;
    expect(delayOfSimulation(simulation, 'partner')).toBe('FLOAT_SHORT');
  });

  it('is null when a transaction is pending, or may be', () => {
    for (const kind of ['accepted', 'known', 'nonce-used', 'underpriced'] as const)
      expect(delayOfBroadcast({ kind })).toBeNull();
    expect(delayOfBroadcast({ kind: 'unreachable', reason: '' })).toBeNull();
    expect(delayOfBroadcast({ kind: 'insufficient-funds' })).toBe('FLOAT_SHORT');
    expect(delayOfBroadcast({ kind: 'refused', reason: '' })).toBe('NODE_REFUSED');
  });
});
