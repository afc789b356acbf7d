import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bumpFees, FeeCapError } from './fees.js';

const gwei = fc.bigInt(0n, 10n ** 13n);
const fees = fc.tuple(gwei, gwei).map(([base, tip]) => ({ maxFeePerGas: base + tip, maxPriorityFeePerGas: tip }));

describe('bumpFees', () => {
  it('raises both fees by at least an eighth, to at least the market, within the cap, or refuses', () => {
    fc.assert(
      fc.property(fees, fees, gwei, (previous, market, cap) => {
        let bumped;
        try {
          bumped = bumpFees(previous, market, cap);
        } catch (error) {
          expect(error).toBeInstanceOf(FeeCapError);
          // Refused only when the cheapest acceptable replacement, or the market's tip, is above the cap.
          expect(
            previous.maxFeePerGas + previous.maxFeePerGas / 8n + 1n > cap ||
              market.maxPriorityFeePerGas > cap ||
              previous.maxPriorityFeePerGas + previous.maxPriorityFeePerGas / 8n + 1n > cap,
          ).toBe(true);
          return;
        }
        expect(bumped.maxFeePerGas * 8n >= previous.maxFeePerGas * 9n).toBe(true);
        expect(bumped.maxPriorityFeePerGas * 8n >= previous.maxPriorityFeePerGas * 9n).toBe(true);
        expect(bumped.maxPriorityFeePerGas >= market.maxPriorityFeePerGas).toBe(true);
        expect(bumped.maxFeePerGas >= bumped.maxPriorityFeePerGas).toBe(true);
        expect(bumped.maxFeePerGas <= cap).toBe(true);
        expect(bumped.maxFeePerGas >= market.maxFeePerGas || bumped.maxFeePerGas === cap).toBe(true);
      }),
    );
  });
});
