import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { admit, computeBooks, committed, sumInFlight, spendable, getFeesStart, type Books } from './books.js';
import type { PendingCall } from './ports.js';

const LIMITS = { gasReserve: 1_000n, maxFeePerGas: 50n, maxFeePerDelivery: 10_000n, maxDailyFees: 100_000n };
const fees = (maxFeePerGas: bigint) => ({ maxFeePerGas, maxPriorityFeePerGas: 1n });

/** A call in flight. `prices`: maximum fee per gas of each of its transactions. */
function inFlight(value: bigint, gas: bigint, ...prices: bigint[]): PendingCall {
  const transactions = prices.map((price) => {
    return { hash: '0x', raw: '0x', gas, ...fees(price), isCancellation: false, createdAt: new Date(0) } as const;
  });
  return { id: 1n, nonce: 0n, to: '0x', data: '0x', value, isCancelled: false, deliveries: 1, transactions };
}

const offers = fc.array(
  fc.record({
    value: fc.oneof(fc.constant(0n), fc.bigInt(1n, 20_000n)),
    gas: fc.bigInt(1n, 500n),
    fees: fc.bigInt(1n, 50n).map(fees),
    deliveries: fc.integer({ min: 1, max: 3 }),
  }),
);

describe('the books of the lane', () => {
  it('count a call in flight with its value and its most expensive transaction', () => {
    const call = inFlight(100n, 10n, 2n, 5n, 3n);
    expect(committed(call)).toBe(150n);
    expect(computeBooks(1_000n, sumInFlight([call, inFlight(0n, 10n, 1n)]), 7n)).toEqual({
      available: 840n,
      feesToday: 67n,
    });
  });

  it('never go below zero, or below the gas reserve for calls with value', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 100_000n), offers, (balance, offered) => {
        let books: Books = { available: balance, feesToday: 0n };
        let spent = 0n;
        for (const offer of offered) {
          const result = admit(books, offer, LIMITS);
          if (typeof result === 'string') continue;
          books = result;
          spent += offer.value + offer.gas * offer.fees.maxFeePerGas;
          expect(books.available >= (offer.value > 0n ? LIMITS.gasReserve : 0n)).toBe(true);
        }
        expect(books.available).toBe(balance - spent);
        expect(books.feesToday <= LIMITS.maxDailyFees).toBe(true);
      }),
    );
  });

  it('admit value that came for the call even from the gas reserve', () => {
    const offer = { value: 1n, gas: 1n, deliveries: 1, fees: fees(50n), isPassedOn: true };
    expect(admit({ available: 51n, feesToday: 0n }, offer, LIMITS)).toEqual({ available: 0n, feesToday: 50n });
    expect(admit({ available: 50n, feesToday: 0n }, offer, LIMITS)).toBe('balance-short');
  });

  it.each([
    ['a fee that the wallet cannot pay', { value: 0n, gas: 100n, deliveries: 1 }, 99n * 50n, 'balance-short'],
    ['value from the gas reserve', { value: 1n, gas: 1n, deliveries: 1 }, 1_050n, 'balance-short'],
    ['a delivery above its cap', { value: 0n, gas: 201n, deliveries: 1 }, 100_000n, 'fee-per-delivery'],
  ])('reject %s', (_, offer, available, reason) => {
    expect(admit({ available, feesToday: 0n }, { ...offer, fees: fees(50n) }, LIMITS)).toBe(reason);
  });

  it('admit value down to exactly the gas reserve, and gas alone down to zero', () => {
    const offer = { gas: 1n, deliveries: 1, fees: fees(50n) };
    expect(admit({ available: 1_051n, feesToday: 0n }, { ...offer, value: 1n }, LIMITS)).toEqual({
      available: 1_000n,
      feesToday: 50n,
    });
    expect(admit({ available: 50n, feesToday: 0n }, { ...offer, value: 0n }, LIMITS)).toEqual({
      available: 0n,
      feesToday: 50n,
    });
  });

  it('count the fees of the 24 hours before now', () => {
    expect(getFeesStart(100 * 3_600_000)).toEqual(new Date(76 * 3_600_000));
  });

  it('allow a batch one cap per delivery, until the daily fees are spent', () => {
    const batch = { value: 0n, gas: 400n, deliveries: 2, fees: fees(50n) };
    expect(admit({ available: 100_000n, feesToday: 80_000n }, batch, LIMITS)).toEqual({
      available: 80_000n,
      feesToday: 100_000n,
    });
    expect(admit({ available: 100_000n, feesToday: 80_001n }, batch, LIMITS)).toBe('fees-of-the-day');
  });

  it('let value leave down to the gas reserve', () => {
    expect(spendable({ available: 1_500n, feesToday: 0n }, LIMITS)).toBe(500n);
    expect(spendable({ available: 900n, feesToday: 0n }, LIMITS)).toBe(0n);
  });
});
