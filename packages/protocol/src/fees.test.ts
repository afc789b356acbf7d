import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { assetInfo, formatAmount, parseAmount } from './assets.js';
import { DEFAULT_FEE_POLICIES, quoteFee, type QuoteTerms } from './fees.js';

const OUT = 'PARTNER_TO_ETHEREUM';
const UNBOUNDED = 2n ** 256n - 1n;
const SPECIFIED = ['ETH', 'USDC', 'XCN'] as const;
const makeTerms = (asset: (typeof SPECIFIED)[number]): QuoteTerms => ({
  ...DEFAULT_FEE_POLICIES[asset],
  maxAmount: UNBOUNDED,
});

describe('quoteFee', () => {
  it.each([
    // asset, amount, fee: the figures of the specification around every edge
    ['ETH', '0.01', '0.003'],
    ['ETH', '1.2', '0.003'],
    ['ETH', '1.2000000000000004', '0.003000000000000001'],
    ['ETH', '100', '0.25'],
    ['USDC', '10', '5'],
    ['USDC', '2000', '5'],
    ['USDC', '2000.0004', '5.000001'],
    ['USDC', '2000.000399', '5'],
    ['XCN', '5000', '1000'],
    ['XCN', '400000', '1000'],
    ['XCN', '800000', '2000'],
  ] as const)('%s %s costs %s to withdraw', (asset, amount, fee) => {
    const units = parseAmount(asset, amount);
    const quote = quoteFee(asset, makeTerms(asset), units, OUT);
    expect(quote.fee).toBe(BigInt(parseFixed(fee, assetInfo(asset).decimals)));
    expect(quote.fee + quote.outputAmount).toBe(units);
    expect(quote.bps).toBe(25);
  });

  it.each([
    ['ETH', '0.01'],
    ['USDC', '10'],
    ['XCN', '5000'],
  ] as const)('the least withdrawal of %s is %s', (asset, least) => {
    expect(DEFAULT_FEE_POLICIES[asset].minAmount).toBe(parseAmount(asset, least));
  });

  it.each(SPECIFIED)('%s: one unit below the minimum is refused, the minimum is not', (asset) => {
    const policy = makeTerms(asset);
    expect(() => quoteFee(asset, policy, policy.minAmount - 1n, OUT)).toThrow(
      expect.objectContaining({
        code: 'BELOW_MINIMUM',
        httpStatus: 400,
        message: `amount is below the minimum of ${formatAmount(asset, policy.minAmount)} ${asset}`,
      }),
    );
    expect(quoteFee(asset, policy, policy.minAmount, OUT).outputAmount).toBe(policy.minAmount - policy.minFee);
  });

  it.each(SPECIFIED)('%s: the rate overtakes the minimum fee exactly one granule after minFee * 400', (asset) => {
    const policy = makeTerms(asset);
    expect(quoteFee(asset, policy, policy.minFee * 400n, OUT).fee).toBe(policy.minFee);
    expect(quoteFee(asset, policy, policy.minFee * 400n + 399n, OUT).fee).toBe(policy.minFee);
    expect(quoteFee(asset, policy, policy.minFee * 400n + 400n, OUT).fee).toBe(policy.minFee + 1n);
  });

  it.each(['ETHEREUM_TO_PARTNER', OUT] as const)('%s: the maximum is accepted, one unit more is not', (direction) => {
    const maxAmount = parseAmount('ETH', '100');
    const terms = { ...makeTerms('ETH'), maxAmount };
    expect(
      quoteFee('ETH', terms, maxAmount, direction).fee + quoteFee('ETH', terms, maxAmount, direction).outputAmount,
    ).toBe(maxAmount);
    expect(() => quoteFee('ETH', terms, maxAmount + 1n, direction, 'amountAtomic')).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        field: 'amountAtomic',
        message: 'amountAtomic is above the maximum of 100 ETH',
      }),
    );
  });

  it('charges nothing for a deposit of any size, and refuses an amount of 0', () => {
    expect(quoteFee('ETH', makeTerms('ETH'), 1n, 'ETHEREUM_TO_PARTNER')).toEqual({
      fee: 0n,
      outputAmount: 1n,
      bps: 0,
      minFeeApplied: false,
    });
    expect(() => quoteFee('ETH', makeTerms('ETH'), 0n, 'ETHEREUM_TO_PARTNER')).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    );
  });

  const policies = fc
    .record({
      bps: fc.integer({ min: 0, max: 9_999 }),
      minFee: fc.bigInt(0n, 10n ** 30n),
      above: fc.bigInt(1n, 10n ** 30n),
    })
    .map(({ bps, minFee, above }) => ({ bps, minFee, minAmount: minFee + above, maxAmount: UNBOUNDED }));

  it('for any policy and amount: exact, rounded down, never below the minimum fee, never all of it', () => {
    fc.assert(
      fc.property(policies, fc.bigInt(0n, 2n ** 200n), (policy, extra) => {
        const amount = policy.minAmount + extra;
        const { fee, outputAmount, minFeeApplied } = quoteFee('ETH', policy, amount, OUT);
        expect(fee + outputAmount).toBe(amount);
        expect(outputAmount > 0n).toBe(true);
        expect(fee >= policy.minFee).toBe(true);
        // The unrounded share lies in [fee, fee + 1) units when the rate applies.
        const scaled = amount * BigInt(policy.bps);
        if (minFeeApplied) expect(scaled < policy.minFee * 10_000n).toBe(true);
        else expect(fee * 10_000n <= scaled && scaled < (fee + 1n) * 10_000n).toBe(true);
      }),
    );
  });

  it('agrees with BridgeMint.quoteFee on everything its types can hold', () => {
    /** The Solidity, statement by statement. A maximum is below 2^32 units of 10^18, so no product overflows. */
    const solidity = (policy: QuoteTerms, amount: bigint): bigint | 'BELOW_MINIMUM' | 'VALIDATION_ERROR' => {
      if (amount < policy.minAmount) return 'BELOW_MINIMUM';
      if (amount > policy.maxAmount) return 'VALIDATION_ERROR';
      const product = amount * BigInt(policy.bps);
      let fee = product / 10_000n;
      if (fee < policy.minFee) fee = policy.minFee;
      return fee;
    };
    const uint96 = fc.bigInt(0n, 2n ** 96n - 1n);
    const maxAmount = fc.bigInt(0n, 2n ** 32n - 1n).map((units) => units * 10n ** 18n);
    const onChain = fc
      .record({ bps: fc.integer({ min: 0, max: 9_999 }), minFee: uint96, minAmount: uint96, maxAmount })
      .filter(({ minFee, minAmount }) => minAmount > minFee);
    fc.assert(
      fc.property(onChain, fc.oneof(fc.bigInt(0n, 2n ** 97n), fc.bigInt(0n, 2n ** 242n)), (policy, amount) => {
        const expected = solidity(policy, amount);
        if (typeof expected === 'string') {
          expect(() => quoteFee('ETH', policy, amount, OUT)).toThrow(expect.objectContaining({ code: expected }));
        } else {
          expect(quoteFee('ETH', policy, amount, OUT).fee).toBe(expected);
        }
      }),
    );
  });

  it.each(SPECIFIED)('%s: the crossover is at minFee * 10000 / bps, where both ways give the same', (asset) => {
    const policy = makeTerms(asset);
    const crossover = (policy.minFee * 10_000n) / BigInt(policy.bps);
    expect(quoteFee(asset, policy, crossover - 1n, OUT).minFeeApplied).toBe(true);
    expect(quoteFee(asset, policy, crossover, OUT)).toMatchObject({ fee: policy.minFee, minFeeApplied: false });
  });

  it('a larger amount never costs less and never delivers less', () => {
    fc.assert(
      fc.property(policies, fc.bigInt(0n, 2n ** 100n), fc.bigInt(0n, 2n ** 100n), (policy, first, more) => {
        const small = quoteFee('ETH', policy, policy.minAmount + first, OUT);
        const large = quoteFee('ETH', policy, policy.minAmount + first + more, OUT);
        expect(large.fee >= small.fee).toBe(true);
        expect(large.outputAmount >= small.outputAmount).toBe(true);
      }),
    );
  });
});

/** Digits of a decimal, shifted: independent of the code under test. */
function parseFixed(text: string, decimals: number): string {
  const [whole = '0', fraction = ''] = text.split('.');
  return whole + fraction.padEnd(decimals, '0');
}
