import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bumpFees, FeeCapError, feesFor, isOutbid, type FeeMarket } from './fees.js';

const wei = fc.bigInt(0n, 10n ** 13n);
const fees = fc.tuple(wei, wei).map(([base, tip]) => ({ maxFeePerGas: base + tip, maxPriorityFeePerGas: tip }));
const markets = fc.tuple(wei, wei).map(([baseFeePerGas, priorityFeePerGas]) => ({ baseFeePerGas, priorityFeePerGas }));

/** The result, or null when the cap refuses. */
function unlessCapped<T>(compute: () => T): T | null {
  try {
    return compute();
  } catch (error) {
    expect(error).toBeInstanceOf(FeeCapError);
    return null;
  }
}

describe('feesFor', () => {
  it('pays the market and room for a doubled base fee, within the cap, or refuses', () => {
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
    ['a base fee within the room', market(20n, 2n), false],
    ['a base fee that leaves less than the tip', market(21n, 2n), true],
    ['a base fee above the maximum', market(23n, 0n), true],
    ['a higher tip', market(10n, 3n), true],
    ['a lower market', market(1n, 1n), false],
  ])('%s', (_, now, outbid) => {
    expect(isOutbid({ maxFeePerGas: 22n, maxPriorityFeePerGas: 2n }, now)).toBe(outbid);
  });
});

describe('bumpFees', () => {
  it('raises both fees by at least an eighth, to at least the market, within the cap, or refuses', () => {
    fc.assert(
      fc.property(fees, markets, wei, (previous, market, cap) => {
        const bumped = unlessCapped(() => bumpFees(previous, market, cap));
        const tip = [previous.maxPriorityFeePerGas + previous.maxPriorityFeePerGas / 8n + 1n, market.priorityFeePerGas];
        if (bumped === null) {
          // Refused only when the cheapest acceptable replacement, or the market's tip, is above the cap.
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
