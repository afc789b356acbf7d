import type { PoolLimits } from '../src/mempool/mempool.js';
import { type ChainTransaction, costInUnits } from '../src/evm/transaction.js';
import type { UnsignedDraft } from './unsigned-transaction.js';

/** The pool again, as a list and loops over it. */
export class NaivePool {
  items: { draft: Required<UnsignedDraft>; transaction: ChainTransaction; arrival: number }[] = [];
  readonly nonces = new Map<number, bigint>();
  evicted = 0;
  private arrivals = 0;

  constructor(private readonly limits: PoolLimits) {}

  nonceOf = (sender: number): bigint => this.nonces.get(sender) ?? 0n;

  add(draft: Required<UnsignedDraft>, transaction: ChainTransaction, balance: bigint): boolean {
    const own = this.items.filter((item) => item.draft.sender === draft.sender);
    const account = this.nonceOf(draft.sender);
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
    for (let before = this.nonceOf(sender); before < nonce; before += 1n) {
      if (!items.some(({ draft }) => draft.sender === sender && draft.nonce === before)) return true;
    }
    return false;
  }
}
