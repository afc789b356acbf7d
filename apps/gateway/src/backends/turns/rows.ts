import { setImmediate } from 'node:timers/promises';

/** How long short pieces of work are done in a row. */
const ROW_MS = 5;

/**
 * Does short pieces of work some in a row, after which everything else that waits for this thread has its turn. A turn for each alone would make them slow
 * when there is much else to do.
 */
export class Rows {
  #last: Promise<unknown> = Promise.resolve();
  #began = -Infinity;

  /** @param now a monotonic clock, milliseconds. */
  constructor(private readonly now = () => performance.now()) {}

  /**
   * Does a piece of work after those that came before it.
   *
   * @throws what the work throws.
   */
  run<T>(work: () => T): Promise<T> {
    const done = this.#last.then(async () => {
      await this.#endRow();
      return work();
    });
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #endRow(): Promise<void> {
    if (this.now() - this.#began < ROW_MS) return;
    await setImmediate();
    this.#began = this.now();
  }
}
