import TinyQueue from 'tinyqueue';
import type { Step } from '../step.ts';
import { Random } from './random.ts';
import { VirtualTimers } from './virtual-timers.ts';

/** A unit that crashes and freezes as a whole: a relayer, the API, a user. */
export interface Process {
  readonly name: string;
  /** Events of a dead process do not run. */
  isAlive: boolean;
  /** Events of a frozen process run later. Epoch milliseconds. */
  frozenUntilMs: number;
  /** How far its clock is ahead, in milliseconds. Timers are not affected. */
  clockAheadMs: number;
  /** It crashes after this number of further events. */
  crash: { eventsLeft: number; readonly onCrash: () => void } | null;
}

/** The duration of a step, in simulated milliseconds. */
export type Latency = (label: string, random: Random) => number;

interface Event {
  atMs: number;
  /** Orders events of the same time. */
  readonly rank: number;
  readonly process: Process | null;
  readonly run: () => unknown;
  isCancelled: boolean;
}

/** The most events of one schedule, so that an endless loop fails instead of hanging. */
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
   * Schedules an event. A promise that it returns settles before the next event.
   *
   * @returns a function that cancels the event.
   */
  at(atMs: number, run: () => unknown, process: Process | null = this.current): () => void {
    const event = { atMs: Math.max(atMs, this.nowMs), rank: this.random.next(), process, run, isCancelled: false };
    this.queue.push(event);
    return () => (event.isCancelled = true);
  }

  /** Makes the step function of a process. */
  makeStep(process: Process): Step {
    return (label, work) =>
      new Promise((resolve, reject) => {
        const run = async () => {
          try {
            const answer = await work();
            // The answer arrives after the event, so a crash can come before it.
            realImmediate(() => resolve(answer));
          } catch (error) {
            realImmediate(() => reject(error instanceof Error ? error : new Error(String(error))));
          }
        };
        this.at(this.nowMs + this.latency(label, this.random), run, process);
      });
  }

  /**
   * Ends a process now. One of its pending steps may still run, but no caller waits for its answer.
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

  /** The current process's clock, in epoch milliseconds. */
  clock(): number {
    return this.nowMs + (this.current?.clockAheadMs ?? 0);
  }

  /** Runs work as a process now, such as its start. */
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
   * Runs events until a time.
   *
   * @param afterEach called after each event and everything that follows from it. It throws to end the run.
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
    if (this.count > MOST_EVENTS) throw new Error(`More than ${MOST_EVENTS} events: something repeats endlessly`);
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
