import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { PublicClient } from 'viem';
import { bumpFees, FeeCapError, feesFor, feesWithin, isOutbid, readMarket, type FeeMarket } from './fees.js';

const wei = fc.bigInt(0n, 10n ** 13n);
const fees = fc.tuple(wei, wei).map(([base, tip]) => ({ maxFeePerGas: base + tip, maxPriorityFeePerGas: tip }));
const markets = fc.tuple(wei, wei).map(([baseFeePerGas, priorityFeePerGas]) => ({ baseFeePerGas, priorityFeePerGas }));

/** Returns the result, or null for a FeeCapError. */
function unlessCapped<T>(compute: () => T): T | null {
  try {
    return compute();
  } catch (error) {
    expect(error).toBeInstanceOf(FeeCapError);
    return null;
  }
}

/** A node whose fee history has blocks with these tips; null: an empty block. The node suggests a tip of 99. */
function aNode(tips: readonly (bigint | null)[], rewarded = tips.length): PublicClient {
  const client = {
    getFeeHistory: async ({ rewardPercentiles }: { rewardPercentiles: readonly number[] }) => {
      return {
        baseFeePerGas: [...tips.map(() => 5n), 7n],
        gasUsedRatio: tips.map((tip) => (tip === null ? 0 : 0.5)),
        reward: tips.slice(0, rewarded).map((tip) => rewardPercentiles.map(() => tip ?? 0n)),
      };
    },
    estimateMaxPriorityFeePerGas: async () => 99n,
  };
  return client as unknown as PublicClient;
}

describe('readMarket', () => {
  it.each([
    ['the median of the blocks', [3n, 1n, 2n], 2n],
    ['the upper median of an even number of blocks', [9n, 1n, 3n, 2n], 3n],
    ['the median without empty blocks', [null, 4n, null, null], 4n],
    ['the median by value, not by text', [10n, 9n, 100n], 10n],
    ['the median with equal tips', [5n, 5n, 1n], 5n],
    ["the node's suggestion if all blocks are empty", [null, null], 99n],
  ])('uses as tip %s', async (_, tips, tip) => {
    expect(await readMarket(aNode(tips))).toEqual({ baseFeePerGas: 7n, priorityFeePerGas: tip });
  });

  it("uses a node's tips, or its suggestion if it has none", async () => {
    expect(await readMarket(aNode([5n, 6n], 1))).toMatchObject({ priorityFeePerGas: 5n });
    const bare = { ...aNode([]), getFeeHistory: async () => ({ baseFeePerGas: [], gasUsedRatio: [0.5] }) };
    const expected = { baseFeePerGas: 0n, priorityFeePerGas: 99n };
    expect(await readMarket(bare as unknown as PublicClient)).toEqual(expected);
  });
});

describe('feesWithin', () => {
  const market = { baseFeePerGas: 10n, priorityFeePerGas: 2n };
  it('is null only above the cap', () => {
    expect(feesWithin(market, 11n)).toBeNull();
    expect(feesWithin(market, 12n)).toEqual({ maxFeePerGas: 12n, maxPriorityFeePerGas: 2n });
  });
});

describe('feesFor', () => {
  it('lets the base fee double', () => {
    const market = { baseFeePerGas: 10n, priorityFeePerGas: 2n };
    expect(feesFor(market, 100n)).toEqual({ maxFeePerGas: 22n, maxPriorityFeePerGas: 2n });
    expect(() => feesFor(market, 11n)).toThrow('needs 12 wei per gas, above the cap of 11');
  });

  it('covers the market and a doubled base fee within the cap, or throws', () => {
    fc.assert(
      fc.property(markets, wei, (market, cap) => {
        const needed = market.baseFeePerGas + market.priorityFeePerGas;
        const offered = unlessCapped(() => feesFor(market, cap));
        expect(offered === null).toBe(needed > cap);
        if (offered === null) return;
        expect(offered.maxFeePerGas >= needed && offered.maxFeePerGas <= cap).toBe(true);
        expect(isOutbid(offered, market)).toBe(false);
      }),
    );
  });
});

describe('isOutbid', () => {
  const market = (base: bigint, tip: bigint): FeeMarket => ({ baseFeePerGas: base, priorityFeePerGas: tip });
  it.each([
    ['the same market', market(10n, 2n), false],
    ['a base fee within the margin', market(20n, 2n), false],
    ['a base fee that leaves less than the tip', market(21n, 2n), true],
    ['a base fee of the maximum, where tips are 0', market(22n, 0n), false],
    ['a base fee above the maximum', market(23n, 0n), true],
    ['a higher tip', market(10n, 3n), true],
    ['a lower market', market(1n, 1n), false],
  ])('%s', (_, now, outbid) => {
    expect(isOutbid({ maxFeePerGas: 22n, maxPriorityFeePerGas: 2n }, now)).toBe(outbid);
  });
});

describe('bumpFees', () => {
  it('raises both fees by at least an eighth, to at least the market, within the cap, or throws', () => {
    fc.assert(
      fc.property(fees, markets, wei, (previous, market, cap) => {
        const bumped = unlessCapped(() => bumpFees(previous, market, cap));
        const tip = [previous.maxPriorityFeePerGas + previous.maxPriorityFeePerGas / 8n + 1n, market.priorityFeePerGas];
        if (bumped === null) {
          // Throws only if the cheapest acceptable replacement, or the market's tip, is above the cap.
          const least = previous.maxFeePerGas + previous.maxFeePerGas / 8n + 1n;
          expect(least > cap || tip.some((each) => each > cap)).toBe(true);
          return;
        }
        expect(bumped.maxFeePerGas * 8n >= previous.maxFeePerGas * 9n).toBe(true);
        expect(tip.every((each) => bumped.maxPriorityFeePerGas >= each)).toBe(true);
        expect(bumped.maxFeePerGas >= bumped.maxPriorityFeePerGas).toBe(true);
        expect(bumped.maxFeePerGas <= cap).toBe(true);
      }),
    );
  });
});
