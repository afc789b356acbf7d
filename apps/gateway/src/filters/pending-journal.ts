import type { Hex } from 'viem';

/** Hashes that are kept for filters that have not asked yet; who asks later misses the older ones. */
const MOST_HASHES = 20_000;

/** Pending transactions in the order they were seen. A cursor is the number of hashes before it. */
export class PendingJournal {
  #hashes: Hex[] = [];
  #start = 0;

  get end(): number {
    return this.#start + this.#hashes.length;
  }

  record(hash: Hex): void {
    this.#hashes.push(hash);
    // Twice as many as are kept before they are cut, so that cutting is rare.
    if (this.#hashes.length <= 2 * MOST_HASHES) return;
    this.#start += this.#hashes.length - MOST_HASHES;
    this.#hashes = this.#hashes.slice(-MOST_HASHES);
  }

  since(cursor: number): readonly Hex[] {
    return this.#hashes.slice(Math.max(0, cursor - this.#start));
  }

  clear(): void {
    this.#start = this.end;
    this.#hashes = [];
  }
}
