import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { coversMint, isBacked } from './solvency.js';

const amount = fc.bigInt(0n, 10n ** 30n);

describe('coversMint', () => {
  it('allows every mint of an honest bridge, whatever is pending', () => {
    // Locked for: the outstanding amount, pending mints, this deposit, other deposits and pending withdrawals.
    fc.assert(
      fc.property(amount, amount, amount, amount, (outstanding, inFlight, mint, pending) =>
        coversMint({ locked: outstanding + inFlight + mint + pending, outstanding }, inFlight, mint),
      ),
    );
  });

  it('never allows more than is locked', () => {
    fc.assert(
      fc.property(amount, amount, amount, amount, (locked, outstanding, inFlight, mint) => {
        const isCovered = coversMint({ locked, outstanding }, inFlight, mint);
        return !isCovered || isBacked({ locked, outstanding: outstanding + inFlight + mint });
      }),
    );
  });

  it('stops a mint of 1,000,000 without a deposit', () => {
    expect(coversMint({ locked: 500n, outstanding: 500n }, 0n, 1_000_000n)).toBe(false);
    expect(coversMint({ locked: 500n, outstanding: 400n }, 60n, 40n)).toBe(true);
    expect(coversMint({ locked: 500n, outstanding: 400n }, 61n, 40n)).toBe(false);
  });
});
