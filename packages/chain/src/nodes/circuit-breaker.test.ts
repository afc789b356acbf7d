import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { afterFailure, CLOSED, mayProbe, type CircuitBreaker } from './circuit-breaker.js';

describe('the circuit breaker of a node', () => {
  it('opens at the first failure, for a second, and then allows a probe', () => {
    const open = afterFailure(CLOSED, 5_000);
    expect([4_000, 5_999, 6_000].map((now) => mayProbe(open, now))).toEqual([false, false, true]);
    expect(mayProbe(CLOSED, 10_000)).toBe(false);
  });

  it('doubles the pause with each failed probe, up to 5 seconds', () => {
    let breaker: CircuitBreaker = CLOSED;
    const pauses = Array.from({ length: 7 }, (_, index) => {
      const now = index * 100_000;
      breaker = afterFailure(breaker, now);
      return breaker.kind === 'open' ? breaker.untilMs - now : null;
    });
    expect(pauses).toEqual([1_000, 2_000, 4_000, 5_000, 5_000, 5_000, 5_000]);
  });

  it('counts requests that fail together as one failure', () => {
    const open = afterFailure(CLOSED, 0);
    expect(afterFailure(open, 1_000)).toMatchObject({ untilMs: 3_000 });
    fc.assert(fc.property(fc.integer({ min: 0, max: 999 }), (now) => expect(afterFailure(open, now)).toBe(open)));
  });
});
