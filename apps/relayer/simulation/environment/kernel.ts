import TinyQueue from 'tinyqueue';
import type { Step } from '../step.ts';
import { Random } from './random.ts';
import { VirtualTimers } from './virtual-timers.ts';

/** A unit that crashes and freezes as a whole: a relayer, the API, a user. */
export interface Process {
  readonly name: string;
  /** Nothing of a dead process happens any more. */
  isAlive: boolean;
  /** Everything of a frozen process happens later. Epoch milliseconds. */
  frozenUntilMs: number;
  /** How much its clock is ahead. Timers do not notice. */
  clockAheadMs: number;
  /** It crashes after a number of further events. */
  crash: { eventsLeft: number; readonly onCrash: () => void } | null;
}

/** How long a step takes, in milliseconds of the simulated time. */
export type Latency = (label: string, random: Random) => number;

interface Event {
  atMs: number;
  /** Orders events of one time. */
  readonly rank: number;
  readonly process: Process | null;
  readonly run: () => unknown;
  isCancelled: boolean;
}

/** The most events of one schedule: a loop without end is a failure, not a hang. */
const MOST_EVENTS = 200_000;
const realImmediate = globalThis.setImmediate;

/** Decides what happens next. All time is simulated, and one seed orders everything that happens at the same time. */
export class Kernel {
  readonly random: Random;
  /** Events so far. */
  count = 0;
  private readonly queue = new TinyQueue<Event>([], byTime);
  private readonly timers = new VirtualTimers(this);
  private current: Process | null = null;
  private nowMs: number;
  private readonly latency: Latency;

  constructor(seed: number, startMs: number, latency: Latency) {
    this.random = new Random(seed);
    this.nowMs = startMs;
    this.latency = latency;
  }

  now(): number {
    return this.nowMs;
  }

  /** Creates a process. Its timers and steps end with it. */
  process(name: string): Process {
    return { name, isAlive: true, frozenUntilMs: 0, clockAheadMs: 0, crash: null };
  }

  /**
   * Lets something happen at a time. A promise that it returns ends before anything else happens.
   *
   * @returns the function that cancels it.
   */
  at(atMs: number, run: () => unknown, process: Process | null = this.current): () => void {
    const event = { atMs: Math.max(atMs, this.nowMs), rank: this.random.next(), process, run, isCancelled: false };
    this.queue.push(event);
    return () => (event.isCancelled = true);
  }

  /** The steps of a process. */
  makeStep(process: Process): Step {
    return (label, work) =>
      new Promise((resolve, reject) => {
        const run = async () => {
          try {
            const answer = await work();
            // It arrives when the event has ended, and so after a crash.
            realImmediate(() => resolve(answer));
          } catch (error) {
            realImmediate(() => reject(error instanceof Error ? error : new Error(String(error))));
          }
        };
        this.at(this.nowMs + this.latency(label, this.random), run, process);
      });
  }

  /**
   * Ends a process at this moment. One of its steps that wait may still reach its destination, though no caller waits
   * for the answer any more.
   */
  crash(process: Process): void {
    const waiting = this.queue.data.filter((event) => event.process === process && !event.isCancelled);
    process.isAlive = false;
    if (waiting.length > 0 && this.random.chance(0.5)) this.at(this.nowMs, this.random.pick(waiting).run, null);
  }

  /** Ends a process between two of its next steps. */
  crashAfter(process: Process, events: number, onCrash: () => void): void {
    process.crash ??= { eventsLeft: events, onCrash };
  }

  /** The time as the present process sees it on its clock, in epoch milliseconds. */
  clock(): number {
    return this.nowMs + (this.current?.clockAheadMs ?? 0);
  }

  /** Runs work of a process now, such as its start. */
  as<T>(process: Process, work: () => T): T {
    const before = this.current;
    this.current = process;
    try {
      return work();
    } finally {
      this.current = before;
    }
  }

  /**
   * Lets things happen until a time.
   *
   * @param afterEach called after each event and all that follows from it; it throws to end the run.
   */
  async run(untilMs: number, afterEach: () => void | Promise<void>): Promise<void> {
    const restore = this.timers.install();
    try {
      for (let event = this.queue.peek(); event !== undefined && event.atMs <= untilMs; event = this.queue.peek()) {
        this.queue.pop();
        await this.happen(event, afterEach);
      }
      this.nowMs = untilMs;
    } finally {
      restore();
    }
  }

  private countDown(process: Process): void {
    const { crash } = process;
    if (crash === null || crash.eventsLeft-- > 0) return;
    this.crash(process);
    crash.onCrash();
  }

  private async happen(event: Event, afterEach: () => void | Promise<void>): Promise<void> {
    const { process } = event;
    if (event.isCancelled || process?.isAlive === false) return;
    if (process !== null && process.frozenUntilMs > event.atMs) {
      event.atMs = process.frozenUntilMs;
      this.queue.push(event);
      return;
    }
    this.count += 1;
    if (this.count > MOST_EVENTS) throw new Error(`More than ${MOST_EVENTS} events: something repeats without end`);
    this.nowMs = event.atMs;
    this.current = process;
    await event.run();
    if (process !== null) this.countDown(process);
    // All promises that follow settle before the event loop reaches this.
    await new Promise((resolve) => realImmediate(resolve));
    this.current = null;
    await afterEach();
  }
}

function byTime(one: Event, other: Event): number {
  return one.atMs - other.atMs || one.rank - other.rank;
}
