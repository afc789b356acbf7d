import { PriceHeap } from './price-heap.js';
import { compareByTip, type PooledTransaction, type SenderQueue } from './sender-queue.js';

interface Candidate {
  readonly pooled: PooledTransaction;
  /** True if it was after a nonce gap when it was added here. */
  readonly isStuck: boolean;
}

/**
 * The order in which a full pool evicts transactions. Only a sender's last transaction is evicted, so that no eviction
 * opens a nonce gap. Transactions after a gap are evicted first, whatever their price, because they may never pay it.
 * Then the lowest-paying transactions are evicted.
 */
export class EvictionQueue {
  private readonly heap = new PriceHeap<Candidate>(compare);

  constructor(private readonly senders: ReadonlyMap<string, SenderQueue>) {
    for (const sender of senders.values()) this.offer(sender);
  }

  /** Must be called after a sender's last transaction changes. */
  offer(sender: SenderQueue): void {
    if (sender.last !== undefined) this.heap.push({ pooled: sender.last, isStuck: sender.hasGap });
  }

  /**
   * Removes and returns the first transaction that is worse than the new one.
   *
   * @param except a sender whose transactions stay.
   */
  take(newcomer: { readonly tip: bigint; readonly isStuck: boolean }, except: string): PooledTransaction | undefined {
    const spared: Candidate[] = [];
    let found: PooledTransaction | undefined;
    for (let first = this.heap.pop(); first !== undefined; first = this.heap.pop()) {
      const sender = this.senders.get(first.pooled.sender);
      if (sender?.last !== first.pooled) continue; // An outdated entry.
      if (sender.hasGap !== first.isStuck) {
        this.offer(sender);
        continue;
      }
      if (first.pooled.sender === except) {
        spared.push(first);
        continue;
      }
      if (isWorse(first, newcomer)) found = first.pooled;
      else spared.push(first);
      break;
    }
    for (const candidate of spared) this.heap.push(candidate);
    return found;
  }
}

function isWorse(candidate: Candidate, newcomer: { readonly tip: bigint; readonly isStuck: boolean }): boolean {
  if (candidate.isStuck !== newcomer.isStuck) return candidate.isStuck;
  return candidate.pooled.tip < newcomer.tip;
}

function compare(a: Candidate, b: Candidate): number {
  if (a.isStuck !== b.isStuck) return a.isStuck ? -1 : 1;
  return -compareByTip(a.pooled, b.pooled);
}
