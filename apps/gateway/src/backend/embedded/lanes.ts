import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { FairQueue } from './fair-queue.js';

/** One client's calls beyond this are refused: about as many as the limits let through while they have patience. */
const WAITING_EACH = 1_000;
const PATIENCE_MS = 10_000;

/** What the chain's own threads carry out. */
const IN_THREADS = new Set(['eth_call', 'eth_estimateGas', 'eth_getLogs']);
/** What this thread carries out and may take long: a block can hold a hundred thousand logs. */
const HEAVY = new Set(['eth_feeHistory', 'eth_getBlockReceipts', 'debug_traceTransaction']);
const BLOCKS = new Set(['eth_getBlockByNumber', 'eth_getBlockByHash']);

/** Where the embedded chain's costly calls wait for their turn, so that neither other callers nor cheap calls wait for them. */
export class Lanes {
  /** A few more than there are threads, so that none is idle between two calls. */
  readonly #threads = this.#open(Math.max(2, availableParallelism()) + 1);
  readonly #heavy = this.#open(1);

  /** Carries a call out, when its turn comes if it is a costly one. */
  async run<T>(method: string, params: readonly unknown[], caller: string, task: () => T | Promise<T>): Promise<T> {
    if (IN_THREADS.has(method)) return await this.#threads.run(caller, task);
    if (!isHeavy(method, params)) return await task();
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

/** Blocks with whole transactions, and the pending block, for which the pool is copied. */
function isHeavy(method: string, params: readonly unknown[]): boolean {
  return HEAVY.has(method) || (BLOCKS.has(method) && (params[1] === true || params[0] === 'pending'));
}
