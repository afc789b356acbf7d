import { NodeFailure } from './node-errors.js';
import type { NodeAnswer } from './read-answers.js';

/** How a queue fills its batches. */
export interface BatchQueueOptions {
  readonly maxCalls: number;
  /**
   * Batches in flight while the node is fast. Further calls are sent together, because a request costs more than its
   * calls.
   */
  readonly preferredInFlight: number;
  /** How long calls wait to be batched, in milliseconds. Then more batches are sent in parallel. */
  readonly lingerMs: number;
  readonly maxInFlight: number;
  readonly maxWaiting: number;
  /** How long a call can wait, in milliseconds. */
  readonly maxWaitMs: number;
  /** Equal queued calls up to this length are merged. 0 for calls that change state. */
  readonly sharedLength: number;
  readonly clock: () => number;
}

interface WaitingCall {
  readonly text: string;
  readonly since: number;
  readonly answer: Promise<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Geth accepts at most 5 MiB. The largest call that a client can send always fits. */
const MAX_BATCH_BYTES = 2 * 1024 * 1024;

/** Collects the calls of one turn of the event loop. A call never joins a request in flight, so its answer is fresh. */
export class BatchQueue {
  private waiting: WaitingCall[] = [];
  private readonly shared = new Map<string, WaitingCall>();
  private inFlight = 0;
  private scheduled = false;
  private lingerTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly options: BatchQueueOptions,
    /** Sends the calls and returns one answer per call, in order. */
    private readonly send: (texts: readonly string[]) => Promise<readonly NodeAnswer[]>,
  ) {}

  /**
   * Returns the result of a call.
   *
   * @param text the call as sent, without its id.
   * @throws NodeFailure, `overloaded` when too many calls wait or this one waited too long; NodeRpcError.
   */
  push(text: string): Promise<unknown> {
    const equal = this.shared.get(text);
    if (equal !== undefined) return equal.answer;
    if (this.waiting.length >= this.options.maxWaiting) {
      return Promise.reject(new NodeFailure('overloaded', 'has too many calls waiting'));
    }
    const { promise: answer, resolve, reject } = Promise.withResolvers<unknown>();
    const call = { text, since: this.options.clock(), answer, resolve, reject };
    this.waiting.push(call);
    if (text.length <= this.options.sharedLength) this.shared.set(text, call);
    this.schedule();
    return answer;
  }

  /** Rejects everything that was not sent yet. */
  clear(failure: NodeFailure): void {
    clearTimeout(this.lingerTimer);
    this.lingerTimer = undefined;
    for (const call of this.take(this.waiting.length)) call.reject(failure);
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    // Runs after all events of this event loop turn, not only after this microtask.
    setImmediate(() => {
      this.scheduled = false;
      this.flush(this.options.preferredInFlight);
    });
  }

  private flush(inFlight: number): void {
    const { maxCalls, preferredInFlight, maxInFlight, lingerMs } = this.options;
    this.rejectLate();
    // A full batch does not need to wait.
    while (this.waiting.length > 0 && this.inFlight < (this.waiting.length < maxCalls ? inFlight : maxInFlight)) {
      void this.deliver(this.take(this.nextBatchLength()));
    }
    if (this.waiting.length > 0 && preferredInFlight < maxInFlight) {
      this.lingerTimer ??= setTimeout(() => {
        this.lingerTimer = undefined;
        this.flush(maxInFlight);
      }, lingerMs);
    }
  }

  private async deliver(batch: readonly WaitingCall[]): Promise<void> {
    this.inFlight++;
    try {
      const answers = await this.send(batch.map(({ text }) => text));
      for (const [index, call] of batch.entries()) {
        const answer = answers[index];
        if (answer !== undefined && 'result' in answer) call.resolve(answer.result);
        else call.reject(answer);
      }
    } catch (error) {
      for (const call of batch) call.reject(error);
    } finally {
      this.inFlight--;
      if (this.waiting.length > 0) this.schedule();
    }
  }

  private nextBatchLength(): number {
    let bytes = 0;
    let count = 0;
    for (const { text } of this.waiting) {
      bytes += text.length;
      if (count === this.options.maxCalls || (count > 0 && bytes > MAX_BATCH_BYTES)) break;
      count++;
    }
    return count;
  }

  private take(count: number): WaitingCall[] {
    const calls = this.waiting.splice(0, count);
    for (const { text } of calls) this.shared.delete(text);
    return calls;
  }

  private rejectLate(): void {
    const oldest = this.options.clock() - this.options.maxWaitMs;
    const late = this.waiting.findIndex(({ since }) => since >= oldest);
    for (const call of this.take(late === -1 ? this.waiting.length : late)) {
      call.reject(new NodeFailure('overloaded', 'could not send the call in time'));
    }
  }
}
