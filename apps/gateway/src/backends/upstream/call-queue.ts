import type { Asker } from '../asker.js';
import { NodeFailure } from './node-failure.js';
import { WaitingCall } from './waiting-call.js';
import type { WireCall } from './wire-call.js';

/** How a queue fills its batches. */
export interface CallQueueOptions {
  readonly maxCalls: number;
  /**
   * Batches under way at the same time while the node is quick; further calls wait and travel together. That is what a busy gateway saves most by:
   * a request costs more than the calls in it.
   */
  readonly easyInFlight: number;
  /** How long calls wait for that, in milliseconds; then more batches go out at the same time. */
  readonly easyWaitMs: number;
  /** Batches under way at the same time, at most. */
  readonly maxInFlight: number;
  /** Calls that may wait, at most. */
  readonly maxWaiting: number;
  /** How long a call may wait, in milliseconds. */
  readonly maxWaitMs: number;
  /** Equal calls that have not been sent yet become one, if their text is not longer than this. 0 for calls that change something. */
  readonly sharedLength: number;
  readonly clock: () => number;
}

/** Geth reads 5 MiB at most; one call of the largest size a client can send always fits. */
const MAX_BATCH_BYTES = 2 * 1024 * 1024;

/**
 * Gathers the calls of one turn of the event loop into one batch.
 *
 * A call is always sent after it was made, never answered by a request that was under way already: that is what makes an answer as fresh
 * as if the client had asked the node itself.
 */
export class CallQueue {
  private waiting: WaitingCall[] = [];
  private shared = new Map<string, WaitingCall>();
  private inFlight = 0;
  private scheduled = false;
  private hurry: NodeJS.Timeout | undefined;
  /** When this turn of the event loop made its first call: reading the clock for every call would be felt. */
  private turnBegan: number | null = null;

  constructor(
    private readonly options: CallQueueOptions,
    /** Sends the calls and settles each of them; never rejects. */
    private readonly deliver: (calls: readonly WireCall[]) => Promise<void>,
  ) {}

  /** Takes a call on. The asker is told NodeFailure `overloaded` when too many calls wait, or when it has waited too long. */
  push(text: string, asker: Asker): void {
    const share = this.shares(text);
    const same = share ? this.shared.get(text) : undefined;
    if (same !== undefined) {
      same.join(asker);
      return;
    }
    if (this.waiting.length >= this.options.maxWaiting) {
      asker.reject(new NodeFailure('overloaded', 'has too many calls waiting'));
      return;
    }
    const call = new WaitingCall(text, (this.turnBegan ??= this.options.clock()), asker);
    this.waiting.push(call);
    if (share) this.shared.set(text, call);
    this.schedule();
  }

  /** Refuses everything that was not sent yet. */
  clear(failure: NodeFailure): void {
    const waiting = this.waiting;
    this.waiting = [];
    this.shared.clear();
    clearTimeout(this.hurry);
    this.hurry = undefined;
    for (const call of waiting) call.reject(failure);
  }

  private shares(text: string): boolean {
    return text.length <= this.options.sharedLength;
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    // After everything that this turn of the event loop brought in, not just this microtask.
    setImmediate(() => {
      this.scheduled = false;
      this.turnBegan = null;
      this.flush(this.options.easyInFlight);
    });
  }

  private flush(inFlight: number): void {
    const { maxCalls, easyInFlight, maxInFlight, easyWaitMs } = this.options;
    this.refuseLate();
    // A full batch gains nothing by waiting.
    while (this.waiting.length > 0 && this.inFlight < (this.waiting.length < maxCalls ? inFlight : maxInFlight)) {
      const batch = this.take();
      this.inFlight++;
      void this.deliver(batch).finally(() => {
        this.inFlight--;
        if (this.waiting.length > 0) this.schedule();
      });
    }
    if (this.waiting.length > 0 && easyInFlight < maxInFlight)
      this.hurry ??= setTimeout(() => this.hasten(), easyWaitMs);
  }

  private hasten(): void {
    this.hurry = undefined;
    this.flush(this.options.maxInFlight);
  }

  private take(): WaitingCall[] {
    let bytes = 0;
    let count = 0;
    for (const { text } of this.waiting) {
      bytes += text.length;
      if (count === this.options.maxCalls || (count > 0 && bytes > MAX_BATCH_BYTES)) break;
      count++;
    }
    if (count === this.waiting.length) {
      const all = this.waiting;
      this.waiting = [];
      // A new one, not emptied: the emptied insides of old maps kept their calls alive through collections, a tenth of a busy gateway's work.
      this.shared = new Map();
      return all;
    }
    const batch = this.waiting.splice(0, count);
    for (const { text } of batch) if (this.shares(text)) this.shared.delete(text);
    return batch;
  }

  private refuseLate(): void {
    const oldest = this.options.clock() - this.options.maxWaitMs;
    const late = this.waiting.findIndex(({ since }) => since >= oldest);
    const count = late === -1 ? this.waiting.length : late;
    for (const call of this.waiting.splice(0, count)) {
      if (this.shares(call.text)) this.shared.delete(call.text);
      call.reject(new NodeFailure('overloaded', 'did not get to the call in time'));
    }
  }
}
