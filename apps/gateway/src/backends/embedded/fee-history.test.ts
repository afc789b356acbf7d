import { BASE_FEE_PER_GAS } from '@causeway/partner-chain';
import { describe, expect, it } from '@jest/globals';
import { computeRewards, listTips } from './fee-history.js';

const paid = (tip: bigint, gasUsed: bigint) => ({ effectiveGasPrice: BASE_FEE_PER_GAS + tip, gasUsed });

describe('computeRewards', () => {
  it('weighs tips by gas', () => {
    const receipts = [paid(30n, 10n), paid(10n, 80n), paid(20n, 10n)];
    expect(computeRewards(listTips(receipts), [0, 50, 80, 81, 90, 91, 100])).toEqual([
      10n,
      10n,
      10n,
      20n,
      20n,
      30n,
      30n,
    ]);
  });

  it('counts the gas of equal tips together', () => {
    const tips = listTips([paid(5n, 10n), paid(7n, 10n), paid(5n, 10n)]);
    expect(tips).toEqual([
      { tip: 5n, gas: 20 },
      { tip: 7n, gas: 10 },
    ]);
    expect(computeRewards(tips, [0, 66, 67, 100])).toEqual([5n, 5n, 7n, 7n]);
  });

  it('is 0 for an empty block', () => {
    expect(computeRewards(listTips([]), [10, 90])).toEqual([0n, 0n]);
  });
});
