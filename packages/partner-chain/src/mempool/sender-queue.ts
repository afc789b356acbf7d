import type { Waiting } from './waiting.js';

/** What one sender has waiting, by nonce. */
export class SenderQueue {
  readonly #byNonce = new Map<bigint, Waiting>();
  #last: Waiting | undefined;
  #cost = 0n;

  /** @param accountNonce the account's nonce in the newest block. */
  constructor(public accountNonce: bigint) {}

  get size(): number {
    return this.#byNonce.size;
  }

  /** The one with the highest nonce: without it, no other is held up. */
  get last(): Waiting | undefined {
    return this.#last;
  }

  /** What all of them can take from the account, in units. */
  get cost(): bigint {
    return this.#cost;
  }

  /** Whether a nonce is missing before the last, so that it cannot be mined whatever it pays. */
  get hasGap(): boolean {
    return this.#last !== undefined && this.#last.nonce - this.accountNonce >= BigInt(this.#byNonce.size);
  }

  get(nonce: bigint): Waiting | undefined {
    return this.#byNonce.get(nonce);
  }

  values(): Iterable<Waiting> {
    return this.#byNonce.values();
  }

  put(waiting: Waiting): void {
    this.#byNonce.set(waiting.nonce, waiting);
    this.#cost += waiting.cost;
    if (this.#last === undefined || waiting.nonce >= this.#last.nonce) this.#last = waiting;
  }

  remove(waiting: Waiting): void {
    this.#byNonce.delete(waiting.nonce);
    this.#cost -= waiting.cost;
    if (this.#last !== waiting) return;
    this.#last = undefined;
    for (const other of this.#byNonce.values()) {
      if (this.#last === undefined || other.nonce > this.#last.nonce) this.#last = other;
    }
  }
}
