import { describe, expect, it } from '@jest/globals';
import { isInWindow } from './payment-window.js';

const MINUTE = 60_000;
const window = { createdAt: new Date(100 * MINUTE), acceptedAtBlock: 7n, expiresAt: new Date(130 * MINUTE) };

describe('the payment window of an intent', () => {
  it.each([
    ['at its last moment', 130 * MINUTE, 7n, true],
    ['a second after its end', 130 * MINUTE + 1_000, 7n, false],
    ['a minute before the intent, by the clock of the chain', 99 * MINUTE, 7n, true],
    ['more than a minute before the intent', 99 * MINUTE - 1, 7n, false],
    ['in a block that was read before the intent', 101 * MINUTE, 6n, false],
  ])('contains a transfer %s', (_, minedAtMs, blockNumber, isPaid) => {
    expect(isInWindow({ minedAt: new Date(minedAtMs), blockNumber }, window)).toBe(isPaid);
  });
});
