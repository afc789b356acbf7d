import { PriceHeap } from './price-heap.js';
import type { SenderQueue } from './sender-queue.js';
import { compareByTip, type Waiting } from './waiting.js';

interface Candidate {
  readonly waiting: Waiting;
  /** It waited for a nonce that was missing, when it was put here. */
  readonly isStuck: boolean;
}

/**
 * The order in which a full pool gives transactions up: only ever a sender's last, so that none is left behind a gap; those that wait for a missing nonce
 * first, whatever they promise to pay, since they may never pay it; then the worst paying.
 */
export class EvictionQueue {
  readonly #heap = new PriceHeap<Candidate>(compare);

  constructor(private readonly senders: ReadonlyMap<string, SenderQueue>) {
    for (const sender of senders.values()) this.offer(sender);
  }

  /** Told of a sender whose last transaction is another now. */
  offer(sender: SenderQueue): void {
    if (sender.last !== undefined) this.#heap.push({ waiting: sender.last, isStuck: sender.hasGap });
  }

  /**
   * Takes out the first that would have to make room for a newcomer.
   *
   * @param except a sender whose transactions stay.
   */
  take(newcomer: { readonly tip: bigint; readonly isStuck: boolean }, except: string): Waiting | undefined {
    const spared: Candidate[] = [];
    let found: Waiting | undefined;
    for (let first = this.#heap.pop(); first !== undefined; first = this.#heap.pop()) {
      const sender = this.senders.get(first.waiting.sender);
      if (sender?.last !== first.waiting) continue; // Of an older time.
      if (sender.hasGap !== first.isStuck) {
        this.offer(sender);
        continue;
      }
      if (first.waiting.sender === except) {
        spared.push(first);
        continue;
      }
      if (isWorse(first, newcomer)) found = first.waiting;
      else spared.push(first);
      break;
    }
    for (const candidate of spared) this.#heap.push(candidate);
    return found;
  }
}

function isWorse(candidate: Candidate, newcomer: { readonly tip: bigint; readonly isStuck: boolean }): boolean {
  if (candidate.isStuck !== newcomer.isStuck) return candidate.isStuck;
  return candidate.waiting.tip < newcomer.tip;
}

function compare(a: Candidate, b: Candidate): number {
  if (a.isStuck !== b.isStuck) return a.isStuck ? -1 : 1;
  return -compareByTip(a.waiting, b.waiting);
}
