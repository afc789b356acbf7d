import { setImmediate } from 'node:timers/promises';

/** How long short pieces of work are done in a row. */
const ROW_MS = 5;

/**
 * Lets short pieces of work be done some in a row, after which everything else that waits for this thread has its turn. A turn for each alone would make
 * them slow when there is much else to do.
 */
export class Rows {
  #began = -Infinity;

  /** @param now a monotonic clock, milliseconds. */
  constructor(private readonly now = () => performance.now()) {}

  /** To be awaited before each piece of work. */
  async join(): Promise<void> {
    while (this.now() - this.#began >= ROW_MS) {
      const ended = this.#began;
      await setImmediate();
      // The first of those that waited begins the next row, the others join it while it lasts.
      if (this.#began === ended) this.#began = this.now();
    }
  }
}
