import { bytesToHex } from '@ethereumjs/util';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PartnerChainError } from '../src/errors.js';
import { Mempool, type PoolLimits } from '../src/mempool/mempool.js';
import type { ChainTransaction } from '../src/evm/transaction.js';
import { NaivePool } from './naive-pool.js';
import { transactionOf } from './unsigned-transaction.js';

const GWEI = 10n ** 9n;
const addressOf = (sender: number): string => bytesToHex(new Uint8Array(20).fill(sender + 1));

it('does what a naive pool does, whatever comes', () => {
  const limits: PoolLimits = { transactions: 8, bytes: 1_000, perSender: 5 };
  const step = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        sender: fc.nat({ max: 3 }),
        ahead: fc.bigInt({ min: -1n, max: 5n }),
        tip: fc.bigInt({ min: 0n, max: 30n }),
        bytes: fc.integer({ min: 50, max: 400 }),
        units: fc.bigInt({ min: 0n, max: 5_000n }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ mined: fc.nat({ max: 5 }) }) },
    { weight: 1, arbitrary: fc.record({ authority: fc.nat({ max: 3 }), by: fc.bigInt({ min: 1n, max: 2n }) }) },
  );
  const balance = 150_000n;
  let evicted = 0;
  const property = fc.property(fc.array(step, { minLength: 10, maxLength: 60 }), (steps) => {
    const pool = new Mempool(limits);
    const naive = new NaivePool(limits);
    for (const each of steps) {
      if ('ahead' in each) {
        const nonce = naive.nonceOf(each.sender) + each.ahead;
        const draft = { ...each, nonce: nonce < 0n ? 0n : nonce, tip: each.tip * GWEI, cap: each.tip * GWEI };
        const transaction = transactionOf(draft);
        const isTaken = naive.add(draft, transaction, balance);
        expect(triesToAdd(pool, transaction, naive.nonceOf(each.sender), balance)).toBe(isTaken);
      } else if ('mined' in each) {
        for (const hash of naive.order().slice(0, each.mined)) {
          const { draft } = naive.items.find((item) => item.transaction.hash === hash)!;
          naive.advance(draft.sender, draft.nonce + 1n);
          pool.advance(addressOf(draft.sender), draft.nonce + 1n);
        }
      } else {
        const nonce = naive.nonceOf(each.authority) + each.by;
        naive.advance(each.authority, nonce);
        pool.advance(addressOf(each.authority), nonce);
      }
      expect(pool.size).toBe(naive.items.length);
      expect(pool.bytes).toBe(naive.items.reduce((sum, { draft }) => sum + draft.bytes, 0));
      expect([...pool.best()].map(({ hash }) => hash)).toEqual(naive.order());
      expect(new Set([...pool.runnable()].map(({ hash }) => hash))).toEqual(new Set(naive.order()));
      for (const { transaction } of naive.items) expect(pool.get(transaction.hash)).toBe(transaction);
    }
    evicted += naive.evicted;
  });
  fc.assert(property, { numRuns: 300 });
  expect(evicted).toBeGreaterThan(300);
});

function triesToAdd(pool: Mempool, transaction: ChainTransaction, nonce: bigint, balance: bigint): boolean {
  try {
    pool.add(transaction, { nonce, balance });
    return true;
  } catch (error) {
    if (!(error instanceof PartnerChainError)) throw error;
    return false;
  }
}
