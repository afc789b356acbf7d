import { bytesToHex } from '@ethereumjs/util';
import { describe, expect, it } from '@jest/globals';
import { makeTransaction, type UnsignedDraft } from '../../test/unsigned-transaction.js';
import { type ChainTransaction, costInUnits } from '../evm/transaction.js';
import { Mempool, type PoolLimits } from './mempool.js';

const GWEI = 10n ** 9n;
const RICH = 10n ** 18n;
const LIMITS: PoolLimits = { transactions: 100, bytes: 100_000, perSender: 50 };

const makeAddress = (sender: number): string => bytesToHex(new Uint8Array(20).fill(sender + 1));

function makePool(limits: Partial<PoolLimits>, ...drafts: readonly UnsignedDraft[]): Mempool {
  const pool = new Mempool({ ...LIMITS, ...limits });
  for (const draft of drafts) pool.add(makeTransaction(draft), { nonce: 0n, balance: RICH });
  return pool;
}

const add = (pool: Mempool, draft: UnsignedDraft, nonce = 0n, balance = RICH): string => {
  const transaction = makeTransaction(draft);
  pool.add(transaction, { nonce, balance });
  return transaction.hash;
};
const inOrder = (pool: Mempool): string[] =>
  [...pool.best()].map(({ sender, tx }) => `${(sender.bytes[0] ?? 0) - 1}:${tx.nonce}`);

describe('the order of pending transactions', () => {
  it('is by tip, then by arrival, and by nonce for one sender', () => {
    const pool = makePool(
      {},
      { sender: 0, nonce: 0n, tip: 1n },
      { sender: 0, nonce: 1n, tip: 9n },
      { sender: 1, nonce: 0n, tip: 5n },
      { sender: 2, nonce: 0n, tip: 1n },
      { sender: 1, nonce: 1n, tip: 1n },
    );
    expect(inOrder(pool)).toEqual(['1:0', '0:0', '0:1', '2:0', '1:1']);
  });

  it('counts a tip only within the cap', () => {
    const pool = makePool({}, { sender: 0, nonce: 0n, tip: 3n, cap: 3n }, { sender: 1, nonce: 0n, tip: 5n, cap: 5n });
    const pool2 = makePool({}, { sender: 0, nonce: 0n, tip: 3n, cap: 9n }, { sender: 1, nonce: 0n, tip: 2n, cap: 99n });
    expect(inOrder(pool)).toEqual(['1:0', '0:0']);
    expect(inOrder(pool2)).toEqual(['0:0', '1:0']);
  });

  it('omits transactions after a nonce gap until it is filled', () => {
    const pool = makePool({}, { sender: 0, nonce: 0n, tip: 1n }, { sender: 0, nonce: 2n, tip: 9n });
    expect(inOrder(pool)).toEqual(['0:0']);
    expect(pool.nextNonce(makeAddress(0), 0n)).toBe(1n);
    add(pool, { sender: 0, nonce: 1n, tip: 1n });
    expect(inOrder(pool)).toEqual(['0:0', '0:1', '0:2']);
    expect(pool.nextNonce(makeAddress(0), 0n)).toBe(3n);
  });

  it('continues without the rest of a skipped sender', () => {
    const pool = makePool(
      {},
      { sender: 0, nonce: 0n, tip: 9n },
      { sender: 0, nonce: 1n, tip: 9n },
      { sender: 1, nonce: 0n, tip: 1n },
    );
    const best = pool.best();
    best.next();
    expect(best.next('skip').value).toMatchObject({ maxPriorityFeePerGas: 1n });
    expect(best.next().done).toBe(true);
  });
});

describe('a replacement', () => {
  it.each([
    [109n, 109n, false],
    [110n, 110n, true],
    [200n, 109n, false],
    [109n, 200n, false],
  ])('with a price of %d and a tip of %d against 100 each: accepted is %p', (price, tip, isTaken) => {
    const pool = makePool({});
    const of = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint): ChainTransaction => ({
      ...makeTransaction({ sender: 0, nonce: 0n, tip: 0n }),
      maxFeePerGas: maxFeePerGas * GWEI,
      maxPriorityFeePerGas: maxPriorityFeePerGas * GWEI,
    });
    const before = of(100n, 100n);
    const after = of(price, tip);
    pool.add(before, { nonce: 0n, balance: RICH });
    const replace = (): void => pool.add(after, { nonce: 0n, balance: RICH });
    if (isTaken) replace();
    else expect(replace).toThrow(/replacement transaction underpriced/);
    expect(pool.get(after.hash)).toBe(isTaken ? after : undefined);
    expect(pool.get(before.hash)).toBe(isTaken ? undefined : before);
    expect(pool.size).toBe(1);
  });

  it('by a larger transaction does not exceed the byte limit', () => {
    const pool = makePool({ bytes: 250 }, { sender: 0, nonce: 0n, tip: 10n }, { sender: 1, nonce: 0n, tip: 50n });
    expect(() => add(pool, { sender: 0, nonce: 0n, tip: 20n, cap: GWEI, bytes: 200 })).toThrow(/full/);
    expect(pool.bytes).toBe(200);
    expect(inOrder(pool)).toEqual(['1:0', '0:0']);
  });
});

describe('refused', () => {
  it('are a used nonce, a nonce too far ahead, and a known transaction', () => {
    const pool = makePool({});
    expect(() => add(pool, { sender: 0, nonce: 4n, tip: 1n }, 5n)).toThrow('nonce too low: next nonce 5, tx nonce 4');
    expect(() => add(pool, { sender: 0, nonce: 55n, tip: 1n }, 5n)).toThrow(/too far ahead/);
    add(pool, { sender: 0, nonce: 54n, tip: 1n }, 5n);
    const known = makeTransaction({ sender: 1, nonce: 0n, tip: 1n });
    pool.add(known, { nonce: 0n, balance: RICH });
    expect(() => pool.add(known, { nonce: 0n, balance: RICH })).toThrow('already known');
  });

  it('is a cost above the balance, including pending transactions', () => {
    const pool = makePool({});
    const cost = costInUnits(makeTransaction({ sender: 0, nonce: 0n, tip: GWEI, units: 1_000n }));
    const draft = { sender: 0, tip: GWEI, units: 1_000n };
    add(pool, { ...draft, nonce: 0n }, 0n, 3n * cost - 1n);
    add(pool, { ...draft, nonce: 1n }, 0n, 3n * cost - 1n);
    expect(() => add(pool, { ...draft, nonce: 2n }, 0n, 3n * cost - 1n)).toThrow(
      /insufficient funds.*its other pending transactions/,
    );
    // A replacement counts instead of the replaced transaction.
    add(pool, { ...draft, nonce: 1n, tip: 2n * GWEI }, 0n, 3n * cost - 1n);
    add(pool, { ...draft, nonce: 2n }, 0n, 9n * cost);
    expect(pool.size).toBe(3);
  });
});

describe('a full pool', () => {
  it('evicts the lowest-paying transaction for one that pays more, and refuses one that does not', () => {
    const pool = makePool({ transactions: 2 }, { sender: 0, nonce: 0n, tip: 5n }, { sender: 1, nonce: 0n, tip: 7n });
    expect(() => add(pool, { sender: 2, nonce: 0n, tip: 5n })).toThrow(/full of better-paying transactions/);
    add(pool, { sender: 2, nonce: 0n, tip: 6n });
    expect(inOrder(pool)).toEqual(['1:0', '2:0']);
  });

  it("evicts only a sender's last transaction, so that no gap opens", () => {
    const pool = makePool(
      { transactions: 3 },
      { sender: 0, nonce: 0n, tip: 1n },
      { sender: 0, nonce: 1n, tip: 8n },
      { sender: 1, nonce: 0n, tip: 9n },
    );
    expect(() => add(pool, { sender: 2, nonce: 0n, tip: 5n })).toThrow(/full/);
    add(pool, { sender: 2, nonce: 0n, tip: 9n });
    expect(inOrder(pool)).toEqual(['1:0', '2:0', '0:0']);
  });

  it('evicts transactions after a nonce gap first, whatever their price', () => {
    const pool = makePool(
      { transactions: 2 },
      { sender: 0, nonce: 1n, tip: 1_000n },
      { sender: 1, nonce: 0n, tip: 7n },
    );
    expect(() => add(pool, { sender: 2, nonce: 3n, tip: 999n })).toThrow(/full/);
    add(pool, { sender: 2, nonce: 0n, tip: 1n });
    expect(inOrder(pool)).toEqual(['1:0', '2:0']);
  });

  it('does not evict the predecessors of a new transaction', () => {
    const pool = makePool({ transactions: 2 }, { sender: 0, nonce: 0n, tip: 1n }, { sender: 0, nonce: 1n, tip: 1n });
    expect(() => add(pool, { sender: 0, nonce: 2n, tip: 9n })).toThrow(/full/);
    expect(inOrder(pool)).toEqual(['0:0', '0:1']);
  });

  it('evicts several for a large transaction, or none if they are not enough', () => {
    const drafts = [3n, 4n, 9n].map((tip, sender) => ({ sender, nonce: 0n, tip }));
    const pool = makePool({ bytes: 300 }, ...drafts);
    expect(() => add(pool, { sender: 5, nonce: 0n, tip: 8n, bytes: 201 })).toThrow(/full/);
    expect(inOrder(pool)).toEqual(['2:0', '1:0', '0:0']);
    add(pool, { sender: 5, nonce: 0n, tip: 8n, bytes: 200 });
    expect(inOrder(pool)).toEqual(['2:0', '5:0']);
  });
});

describe('after a block', () => {
  it('drops transactions that can never be mined, and runs the next one after a nonce was raised', () => {
    const pool = makePool(
      {},
      { sender: 0, nonce: 0n, tip: 1n },
      { sender: 0, nonce: 1n, tip: 1n },
      { sender: 0, nonce: 3n, tip: 1n },
    );
    pool.advance(makeAddress(0), 1n);
    expect(inOrder(pool)).toEqual(['0:1']);
    pool.advance(makeAddress(0), 3n);
    expect(inOrder(pool)).toEqual(['0:3']);
    pool.advance(makeAddress(0), 4n);
    expect([pool.size, pool.bytes]).toEqual([0, 0]);
  });
});
