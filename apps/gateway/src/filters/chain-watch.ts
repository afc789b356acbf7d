import type { ChainFeed } from '../subscriptions/chain-feed.js';
import { HeadJournal } from './head-journal.js';
import { PendingJournal } from './pending-journal.js';

/** Writes down what happens on the chain while there are filters, once for all of them. */
export class ChainWatch {
  readonly heads = new HeadJournal();
  readonly pending = new PendingJournal();
  readonly #waiting = new Set<{ readonly number: number; readonly resolve: () => void }>();
  #holders = 0;
  #newest = -1;
  #leave: (() => void) | null = null;

  constructor(private readonly feed: ChainFeed) {}

  /** Watches until as many calls of `letGo` as of this. */
  hold(): void {
    this.#holders += 1;
    this.#leave ??= this.feed.follow({
      onHead: (event) => {
        this.heads.record(event);
        this.#newest = Number(event.header.number);
        this.#arrive();
      },
      onPendingTransaction: (hash) => this.pending.record(hash),
      onGap: () => this.heads.reset(),
      onSyncing: () => undefined,
    });
  }

  letGo(): void {
    this.#holders -= 1;
    if (this.#holders > 0) return;
    this.#leave?.();
    this.#leave = null;
    this.heads.reset();
    this.pending.clear();
    this.#newest = -1;
  }

  /** Resolves when a block of this number has been told, or after so many milliseconds. */
  async reaches(number: number, patienceMs: number): Promise<void> {
    if (this.#newest >= number) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter = { number, resolve };
    this.#waiting.add(waiter);
    const timer = setTimeout(resolve, patienceMs);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(waiter);
  }

  #arrive(): void {
    for (const { number, resolve } of this.#waiting) if (this.#newest >= number) resolve();
  }
}
