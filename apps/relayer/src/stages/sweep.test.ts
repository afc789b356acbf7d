import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sweepableAmount } from './sweep.js';

const UNIT = 10n ** 10n;

describe('sweepableAmount', () => {
  it.each([
    ['all that final intents brought, when the wallet holds more', 500n, 0n, 10_000n, 1_000n, 500n],
    ['the amount above the working balance, when the wallet needed a part', 500n, 0n, 1_200n, 1_000n, 200n],
    ['nothing of a wallet at its working balance', 500n, 0n, 1_000n, 1_000n, 0n],
    ['nothing of a wallet below it', 500n, 0n, 100n, 1_000n, 0n],
    ['nothing that may have to be returned', 500n, 300n, 1_500n, 1_000n, 200n],
    ['nothing when refunds need everything', 500n, 600n, 1_500n, 1_000n, 0n],
    ['nothing without final intents', 0n, 0n, 10_000n, 1_000n, 0n],
  ])('is %s', (_, amount, keptBack, balance, working, expected) => {
    const swept = sweepableAmount({ amount: amount * UNIT, keptBack: keptBack * UNIT }, balance * UNIT, working * UNIT);
    expect(swept).toBe(expected * UNIT);
  });

  it('never leaves less than the working balance and the amount kept back, and can exist on the partner chain', () => {
    const units = fc.bigInt(0n, 10n ** 30n);
    fc.assert(
      fc.property(units, units, units, units, (amount, keptBack, balance, working) => {
        const swept = sweepableAmount({ amount, keptBack }, balance, working);
        expect(swept >= 0n && swept <= amount && swept % UNIT === 0n).toBe(true);
        if (swept > 0n) expect(balance - swept >= working + keptBack).toBe(true);
      }),
    );
  });
});
