import { PartnerChainError } from '@causeway/partner-chain';

/** How a queue lets tasks run. */
export interface FairQueueOptions {
  /** Tasks that run at the same time. */
  readonly running: number;
  /** Tasks of one caller that may wait. */
  readonly waitingEach: number;
  /** How long a task may wait, in milliseconds: who asked has mostly given up by then. */
  readonly patienceMs: number;
  /** A monotonic clock, milliseconds. */
  now(): number;
}

interface Waiting {
  readonly since: number;
  readonly start: () => void;
  readonly refuse: (error: PartnerChainError) => void;
}

/** Runs tasks, few at a time. Callers take turns, so that one who asks for much makes nobody wait but himself. */
export class FairQueue {
  /** What waits, by caller; whose turn is next comes first. */
  readonly #lines = new Map<string, Waiting[]>();
  #running = 0;
  #isClosed = false;

  constructor(private readonly options: FairQueueOptions) {}

  /**
   * Runs a task when its caller's turn comes, at once if there is room.
   *
   * @param caller whom it counts for.
   * @throws PartnerChainError UNAVAILABLE when the caller has too much waiting or it has waited too long, or what the task throws.
   */
  async run<T>(caller: string, task: () => T | Promise<T>): Promise<T> {
    await this.#turn(caller);
    try {
      return await task();
    } finally {
      this.#running -= 1;
      this.#next();
    }
  }

  /** Refuses what waits, and whatever comes. */
  close(): void {
    this.#isClosed = true;
    for (let waiting = this.#take(); waiting !== null; waiting = this.#take()) waiting.refuse(closing());
  }

  #turn(caller: string): Promise<void> {
    if (this.#isClosed) return Promise.reject(closing());
    const line = this.#lines.get(caller) ?? [];
    if (line.length >= this.options.waitingEach) return Promise.reject(busy('too many of your calls are waiting'));
    const { promise, resolve: start, reject: refuse } = Promise.withResolvers<void>();
    line.push({ since: this.options.now(), start, refuse });
    this.#lines.set(caller, line);
    this.#next();
    return promise;
  }

  #next(): void {
    while (this.#running < this.options.running) {
      const waiting = this.#take();
      if (waiting === null) return;
      if (this.options.now() - waiting.since > this.options.patienceMs) {
        waiting.refuse(busy('the call waited too long for its turn'));
      } else {
        this.#running += 1;
        waiting.start();
      }
    }
  }

  /** The first of the caller whose turn it is; the caller's others come after everybody else's first. */
  #take(): Waiting | null {
    for (const [caller, line] of this.#lines) {
      const first = line.shift();
      this.#lines.delete(caller);
      if (line.length > 0) this.#lines.set(caller, line);
      if (first !== undefined) return first;
    }
    return null;
  }
}

function busy(why: string): PartnerChainError {
  return new PartnerChainError('UNAVAILABLE', `${why}; try again shortly`);
}

function closing(): PartnerChainError {
  return new PartnerChainError('UNAVAILABLE', 'the chain is closing');
}
