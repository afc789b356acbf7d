import { bytesToHex } from '@ethereumjs/util';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PartnerChainError } from '../src/errors.js';
import { Mempool, type PoolLimits } from '../src/mempool/mempool.js';
import { type ChainTransaction, costInUnits } from '../src/evm/transaction.js';
import { makeTransaction, type UnsignedDraft } from './unsigned-transaction.js';

/** A naive pool: a list with loops over it. */
class NaivePool {
  items: { draft: Required<UnsignedDraft>; transaction: ChainTransaction; arrival: number }[] = [];
  readonly nonces = new Map<number, bigint>();
  evicted = 0;
  private arrivals = 0;

  constructor(private readonly limits: PoolLimits) {}

  getNonce = (sender: number): bigint => this.nonces.get(sender) ?? 0n;

  add(draft: Required<UnsignedDraft>, transaction: ChainTransaction, balance: bigint): boolean {
    const own = this.items.filter((item) => item.draft.sender === draft.sender);
    const account = this.getNonce(draft.sender);
    if (draft.nonce < account || draft.nonce - account >= BigInt(this.limits.perSender)) return false;
    const replaced = own.find((item) => item.draft.nonce === draft.nonce);
    const raised = (a: bigint, b: bigint): boolean => 10n * b >= 11n * a;
    if (replaced !== undefined && !raised(replaced.transaction.maxFeePerGas, transaction.maxFeePerGas)) return false;
    if (replaced !== undefined && !raised(replaced.draft.tip, draft.tip)) return false;
    const others = own.filter((item) => item !== replaced);
    const queued = others.reduce((sum, item) => sum + costInUnits(item.transaction), 0n);
    if (queued + costInUnits(transaction) > balance) return false;
    let kept = this.items.filter((item) => item !== replaced);
    const newcomer = { draft, transaction, arrival: this.arrivals + 1 };
    const isStuck = this.isStuck(draft, own);
    while (!this.fits([...kept, newcomer])) {
      const victim = this.victim(kept, draft.sender);
      if (victim === undefined) return false;
      const victimStuck = this.isStuck(victim.draft, kept);
      if (victimStuck === isStuck ? victim.draft.tip >= draft.tip : isStuck) return false;
      kept = kept.filter((item) => item !== victim);
    }
    this.evicted += this.items.length - kept.length - (replaced === undefined ? 0 : 1);
    this.items = [...kept, newcomer];
    this.arrivals += 1;
    return true;
  }

  order(): string[] {
    const at = new Map(this.nonces);
    const order: string[] = [];
    for (;;) {
      const [best] = this.items
        .filter(({ draft }) => draft.nonce === (at.get(draft.sender) ?? 0n))
        .toSorted((a, b) => Number(b.draft.tip - a.draft.tip) || a.arrival - b.arrival);
      if (best === undefined) return order;
      order.push(best.transaction.hash);
      at.set(best.draft.sender, best.draft.nonce + 1n);
    }
  }

  advance(sender: number, nonce: bigint): void {
    this.nonces.set(sender, nonce);
    this.items = this.items.filter(({ draft }) => draft.sender !== sender || draft.nonce >= nonce);
  }

  private fits(items: typeof this.items): boolean {
    const bytes = items.reduce((sum, { draft }) => sum + draft.bytes, 0);
    return items.length <= this.limits.transactions && bytes <= this.limits.bytes;
  }

  private victim(items: typeof this.items, except: number) {
    const last = items.filter(
      ({ draft }) =>
        draft.sender !== except &&
        !items.some((other) => other.draft.sender === draft.sender && other.draft.nonce > draft.nonce),
    );
    const stuck = (draft: UnsignedDraft): number => (this.isStuck(draft, items) ? 0 : 1);
    return last.toSorted(
      (a, b) => stuck(a.draft) - stuck(b.draft) || Number(a.draft.tip - b.draft.tip) || b.arrival - a.arrival,
    )[0];
  }

  private isStuck({ sender, nonce }: UnsignedDraft, items: typeof this.items): boolean {
    for (let before = this.getNonce(sender); before < nonce; before += 1n) {
      if (!items.some(({ draft }) => draft.sender === sender && draft.nonce === before)) return true;
    }
    return false;
  }
}

const GWEI = 10n ** 9n;
const makeAddress = (sender: number): string => bytesToHex(new Uint8Array(20).fill(sender + 1));

it('behaves like a naive pool', () => {
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
        const nonce = naive.getNonce(each.sender) + each.ahead;
        const draft = { ...each, nonce: nonce < 0n ? 0n : nonce, tip: each.tip * GWEI, cap: each.tip * GWEI };
        const transaction = makeTransaction(draft);
        const isTaken = naive.add(draft, transaction, balance);
        expect(triesToAdd(pool, transaction, naive.getNonce(each.sender), balance)).toBe(isTaken);
      } else if ('mined' in each) {
        for (const hash of naive.order().slice(0, each.mined)) {
          const { draft } = naive.items.find((item) => item.transaction.hash === hash)!;
          naive.advance(draft.sender, draft.nonce + 1n);
          pool.advance(makeAddress(draft.sender), draft.nonce + 1n);
        }
      } else {
        const nonce = naive.getNonce(each.authority) + each.by;
        naive.advance(each.authority, nonce);
        pool.advance(makeAddress(each.authority), nonce);
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
