import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isBroadcastDue, isCancellationDue, isReplacementDue, missingNonces } from './follow-decision.js';
import type { PendingCall } from './ports.js';

const QUIET = { baseFeePerGas: 10n, priorityFeePerGas: 1n };
const RISEN = { baseFeePerGas: 100n, priorityFeePerGas: 1n };

function aCall(nonce: bigint, signedAtMs = 0): PendingCall {
  const fees = { maxFeePerGas: 21n, maxPriorityFeePerGas: 1n };
  const signed = {
    hash: '0x',
    raw: '0x',
    gas: 1n,
    ...fees,
    isCancellation: false,
    createdAt: new Date(signedAtMs),
  } as const;
  return {
    id: nonce,
    nonce,
    to: '0x',
    data: '0x',
    value: 0n,
    isCancelled: false,
    deliveries: 1,
    transactions: [signed],
  };
}

describe('a replacement', () => {
  it('is due only for the lowest unmined nonce, after the delay, if the market has risen above it', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 5n), fc.bigInt(0n, 5n), fc.nat(200_000), fc.boolean(), (nonce, lowest, age, risen) => {
        const isDue = isReplacementDue(aCall(nonce), lowest, risen ? RISEN : QUIET, age, 60_000);
        expect(isDue).toBe(nonce === lowest && age >= 60_000 && risen);
      }),
    );
  });

  it('is never due for a call without a transaction', () => {
    expect(isReplacementDue({ ...aCall(0n), transactions: [] }, 0n, RISEN, 200_000, 60_000)).toBe(false);
  });

  it('counts the delay from the last transaction', () => {
    const [first] = aCall(0n).transactions;
    const twice = { ...aCall(0n), transactions: [first!, { ...first!, createdAt: new Date(90_000) }] };
    expect(isReplacementDue(twice, 0n, RISEN, 100_000, 60_000)).toBe(false);
    expect(isReplacementDue(twice, 0n, RISEN, 150_000, 60_000)).toBe(true);
  });
});

describe('missing nonces', () => {
  it('are the nonces between the chain and the journal that no pending call has', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 20n), fc.bigInt(0n, 20n), fc.uniqueArray(fc.bigInt(0n, 20n)), (chain, next, held) => {
        const missing = missingNonces(
          chain,
          next,
          held.map((nonce) => ({ nonce })),
        );
        const given = Array.from({ length: 21 }, (_, index) => BigInt(index)).slice(Number(chain), Number(next));
        expect(missing).toEqual(given.filter((nonce) => !held.includes(nonce)));
      }),
    );
  });
});

describe('a broadcast', () => {
  it.each([
    [true, null, 0, true],
    [true, 1_000, 4_999, false],
    [true, 0, 3_999, false],
    [true, 0, 4_000, true],
    [false, null, 0, true],
    [false, 0, 29_999, false],
    [false, 0, 30_000, true],
  ])('of the lowest nonce (%s), sent at %s, is due at %d: %s', (isLowest, sentAtMs, nowMs, isDue) => {
    expect(isBroadcastDue(isLowest, { sentAtMs, withheldSinceMs: null }, nowMs)).toBe(isDue);
  });
});

describe('the cancellation of a withheld call', () => {
  it('is due after a minute if a later call waits for it', () => {
    const remembered = { sentAtMs: null, withheldSinceMs: 1_000 };
    expect(isCancellationDue(true, remembered, 60_999)).toBe(false);
    expect(isCancellationDue(true, remembered, 61_000)).toBe(true);
    expect(isCancellationDue(false, remembered, 10_000_000)).toBe(false);
    expect(isCancellationDue(true, { sentAtMs: null, withheldSinceMs: null }, 10_000_000)).toBe(false);
  });
});
