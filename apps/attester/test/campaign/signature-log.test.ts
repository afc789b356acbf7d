import { lower } from '@causeway/chain';
import { anAddressBook, testAccount } from '@causeway/test-kit';
import { expect, it } from '@jest/globals';
import type { Hex } from 'viem';
import type { Item } from '../setup/bridge.js';
import { areCopies, SignatureLog, type Life } from './signature-log.js';

// Tests that the campaign's judge finds everything that no attester may do.

const hash = (digit: number): Hex => `0x${`${digit}`.repeat(64)}`;
const mint = (id: number, transfer: number, amount: bigint): Item<'MINT'> => ({
  kind: 'MINT',
  id: hash(id),
  origin: { blockNumber: 1n, transactionHash: hash(transfer) },
  payment: {
    depositNonce: BigInt(id),
    token: lower(testAccount(3).address),
    recipient: lower(testAccount(4).address),
    amount,
  },
});
const life = (key: string, startedAtMs: number, memory = 'main 0'): Life => ({
  key,
  memory,
  startedAtMs,
  endedAtMs: startedAtMs + 10,
});

it.each([
  ['other terms of an id while the earlier signature is valid', mint(1, 1, 6n), life('a', 20), 13n, 1],
  ['other terms in the second of their end', mint(1, 1, 6n), life('a', 20), 15n, 1],
  ['other terms after their end', mint(1, 1, 6n), life('a', 20), 16n, 0],
  ['a transfer for another id', mint(2, 1, 5n), life('a', 20), 13n, 1],
  ['a transfer for another id, with the same memory, at any time', mint(2, 1, 5n), life('a', 20), 99n, 1],
  ['a transfer for another id, with another memory, later', mint(2, 1, 5n), life('a', 20, 'main 1'), 99n, 0],
  ['the same terms again', mint(1, 1, 5n), life('a', 20), 13n, 0],
  ['other terms by another key', mint(1, 1, 6n), life('b', 20), 13n, 0],
])('%s', async (_, item, later, head, found) => {
  let now = 12n;
  const log = new SignatureLog(anAddressBook(), async () => now);
  await log.add(life('a', 0), { items: [mint(1, 1, 5n)], branch: 0 }, 15n);
  now = head;
  await log.add(later, { items: [item], branch: 0 }, head + 3n);
  expect(log.findContradictions()).toHaveLength(found);
});

it('distinguishes copies from consecutive processes', () => {
  expect(areCopies(life('a', 0), life('a', 5))).toBe(true);
  expect(areCopies(life('a', 0), life('a', 11))).toBe(false);
});
