import { describe, expect, it } from '@jest/globals';
import type { Prisma } from '../generated/prisma/client.js';
import { isAboutToBePaid, isInWindow } from './payment-window.js';

const MINUTE = 60_000;
const window = {
  createdAt: new Date(100 * MINUTE),
  acceptedAtBlock: 7n,
  judgedAtBlock: 4n,
  expiresAt: new Date(130 * MINUTE),
};

describe('the payment window of an intent', () => {
  it.each<[string, number, bigint, boolean, bigint?]>([
    ['at its end', 130 * MINUTE, 7n, true],
    ['a second after its end', 130 * MINUTE + 1_000, 7n, false],
    ['a minute before the intent, by the clock of the chain', 99 * MINUTE, 7n, true],
    ['more than a minute before the intent', 99 * MINUTE - 1, 7n, false],
    ['in a block that was read before the intent', 101 * MINUTE, 6n, false],
    ['in a block after `judgedAtBlock` that a reorg made the next one to read', 101 * MINUTE, 5n, true, 5n],
    ['in `judgedAtBlock`, after a reorg', 101 * MINUTE, 4n, false, 3n],
  ])('contains a transfer %s', (_, minedAtMs, blockNumber, isPaid, acceptedAtBlock = 7n) => {
    const minedAt = new Date(minedAtMs);
    expect(isInWindow({ minedAt, blockNumber }, { ...window, acceptedAtBlock })).toBe(isPaid);
  });
});

describe('an intent that must not expire', () => {
  it.each([
    ['is one that a transfer can pay', [{}], true],
    ['needs such a transfer', [], false],
  ])('%s', async (_, transfers, expected) => {
    const tx = { $queryRawUnsafe: async () => transfers } as unknown as Prisma.TransactionClient;
    expect(await isAboutToBePaid(tx, '0xaa')).toBe(expected);
  });
});
