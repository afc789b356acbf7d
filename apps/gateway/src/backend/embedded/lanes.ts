import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { FairQueue } from './fair-queue.js';
import type { LaneName } from './lane-of.js';

/** One client's calls beyond this are refused: about as many as the limits let through while they have patience. */
const WAITING_EACH = 1_000;
const PATIENCE_MS = 10_000;
/** Turns of the event loop between two heavy calls. One is not enough for new clients: it takes in one connection. */
const TURNS_BETWEEN = 16;

/** Where the embedded chain's costly calls wait for their turn, so that neither other callers nor cheap calls wait for them. */
export class Lanes {
  /** A few more than there are threads, so that none is idle between two calls. */
  readonly #threads = this.#open(Math.max(2, availableParallelism()) + 1);
  readonly #heavy = this.#open(1);

  /**
   * Carries a call out, when its turn comes if it is a costly one.
   *
   * @throws PartnerChainError UNAVAILABLE when the caller has too much waiting or it has waited too long, or what the task throws.
   */
  async run<T>(lane: LaneName, caller: string, task: () => T | Promise<T>): Promise<T> {
    if (lane === 'none') return await task();
    if (lane === 'threads') return await this.#threads.run(caller, task);
    return await this.#heavy.run(caller, async () => {
      // Everything else that waits for this thread goes first, and the answer of the last heavy call is let go.
      for (let turn = 0; turn < TURNS_BETWEEN; turn += 1) await setImmediate();
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
