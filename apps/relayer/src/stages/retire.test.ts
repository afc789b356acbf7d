import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { retirableAmount, retirementDueAtMs } from './retire.js';

const at = (ms: number) => new Date(ms);

describe('retirableAmount', () => {
  it.each([
    ['leaves one unit when the wallet holds only these withdrawals', 100n, 100n, 99n],
    ['retires everything when an earlier retirement left a unit', 100n, 101n, 100n],
    ['retires everything when other withdrawals stay in the wallet', 100n, 500n, 100n],
    ['retires nothing when one unit is left', 1n, 1n, 0n],
    ['retires nothing of an empty wallet', 0n, 0n, 0n],
  ])('%s', (_, amount, balance, expected) => {
    expect(retirableAmount(amount, balance)).toBe(expected);
  });

  it('never retires more than the withdrawals burned, nor the last unit, and leaves at most one unit too much', () => {
    const units = fc.bigInt(1n, 10n ** 30n);
    fc.assert(
      fc.property(units, fc.bigInt(0n, 10n ** 30n), (amount, others) => {
        const retired = retirableAmount(amount, amount + others);
        expect(retired <= amount && amount + others - retired >= 1n).toBe(true);
        expect(retired >= amount - 1n).toBe(true);
      }),
    );
  });

  it('keeps exactly one unit over any number of retirements', () => {
    const burns = fc.array(fc.bigInt(1n, 10n ** 24n), { minLength: 1 });
    fc.assert(
      fc.property(burns, (amounts) => {
        let balance = 0n;
        for (const amount of amounts) {
          balance += amount;
          balance -= retirableAmount(amount, balance);
          expect(balance).toBe(1n);
        }
      }),
    );
  });
});

describe('retirementDueAtMs', () => {
  it.each([
    ['counts from the oldest completed withdrawal', at(5_000), null, 6_000],
    ['counts from the last failed retirement when that is later', at(5_000), at(9_000), 10_000],
    ['ignores a failed retirement before that', at(5_000), at(2_000), 6_000],
  ])('%s', (_, oldestSettledAt, lastFailedAt, expected) => {
    expect(retirementDueAtMs({ oldestSettledAt, lastFailedAt }, 1_000)).toBe(expected);
  });
});
