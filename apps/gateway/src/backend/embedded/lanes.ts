import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { FairQueue } from './fair-queue.js';
import type { LaneName } from './lane-of.js';

/** One client's calls beyond this are refused: about as many as the limits let through while they have patience. */
const WAITING_EACH = 1_000;
const PATIENCE_MS = 10_000;

/** Where the embedded chain's costly calls wait for their turn, so that neither other callers nor cheap calls wait for them. */
export class Lanes {
  /** A few more than there are threads, so that none is idle between two calls. */
  readonly #threads = this.#open(Math.max(2, availableParallelism()) + 1);
  readonly #heavy = this.#open(1);

  /**
   * Carries a call out, when its turn comes if it is a costly one.
   *
   * @throws ChainError UNAVAILABLE when the caller has too much waiting or it has waited too long, or what the task throws.
   */
  async run<T>(lane: LaneName, caller: string, task: () => T | Promise<T>): Promise<T> {
    if (lane === 'none') return await task();
    if (lane === 'threads') return await this.#threads.run(caller, task);
    return await this.#heavy.run(caller, async () => {
      // Between two of them everything else that waits for this thread has its turn, and the answer of the last is let go.
      await setImmediate();
      return await task();
    });
  }

  /** Refuses the calls that wait, and whatever comes. */
  close(): void {
    this.#threads.close();
    this.#heavy.close();
  }

  #open(running: number): FairQueue {
    return new FairQueue({ running, waitingEach: WAITING_EACH, patienceMs: PATIENCE_MS, now: () => performance.now() });
  }
}
