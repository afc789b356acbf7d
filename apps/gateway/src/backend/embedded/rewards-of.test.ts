import { BASE_FEE_PER_GAS } from '@causeway/partner-chain';
import { describe, expect, it } from '@jest/globals';
import { rewardsOf } from './rewards-of.js';

const paid = (tip: bigint, gasUsed: bigint) => ({ effectiveGasPrice: BASE_FEE_PER_GAS + tip, gasUsed });

describe('rewardsOf', () => {
  it('weighs tips by gas', () => {
    const receipts = [paid(30n, 10n), paid(10n, 80n), paid(20n, 10n)];
    expect(rewardsOf(receipts, [0, 50, 80, 81, 90, 91, 100])).toEqual([10n, 10n, 10n, 20n, 20n, 30n, 30n]);
  });

  it('is 0 for an empty block', () => {
    expect(rewardsOf([], [10, 90])).toEqual([0n, 0n]);
  });
});
