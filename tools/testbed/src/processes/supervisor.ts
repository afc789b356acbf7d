import { join } from 'node:path';
import { waitUntil } from '@causeway/test-kit/test-run';
import { startChild, type Child, type ChildEnd, type ChildInput } from './child-process.js';
import type { RunRecord } from './run-record.js';

/** A process of a bridge: its name, its program and its environment. */
export interface ProcessDescription extends Omit<ChildInput, 'logFile' | 'onProblem'> {
  /** Answers 200 when the process is ready. */
  readonly readyUrl?: string;
  /**
   * Returns the milliseconds until the process restarts after an end that the supervisor did not cause. The bridge is
   * broken when the function is missing or returns null.
   */
  readonly startAgain?: (end: ChildEnd) => number | null;
  /** Receives each restarted process. */
  readonly onAgain?: (child: Child) => void;
}

/** The latest start of a process. */
interface Start {
  readonly description: ProcessDescription;
  readonly child: Child;
  /** Time of `performance.now()`. */
  readonly atMs: number;
}

/** Starts, watches, restarts and stops the processes of one bridge. */
export class Supervisor {
  private readonly starts = new Map<string, Start>();
  private isStopping = false;
  private reportBroken: (how: string) => void = () => undefined;

  /** Resolves with a sentence when a process ends unexpectedly. */
  readonly broken = new Promise<string>((resolve) => {
    this.reportBroken = resolve;
  });

  /**
   * @param logs folder of the log files, one for each process.
   * @param onProblem receives problems that running processes report.
   * @param record lists processes that a later run must find.
   */
  constructor(
    private readonly logs: string,
    private readonly onProblem: (problem: string) => void = () => undefined,
    private readonly record?: RunRecord,
  ) {}

  /**
   * Starts a process under a name. An earlier process of that name must have ended.
   *
   * @throws Error after `stop`.
   */
  start(description: ProcessDescription): Child {
    const { name, module } = description;
    if (this.isStopping) throw new Error(`${name} was not started: the environment is being stopped`);
    const atMs = performance.now();
    const child = startChild({ ...description, logFile: join(this.logs, `${name}.log`), onProblem: this.onProblem });
    const start = { description, child, atMs };
    this.starts.set(name, start);
    this.record?.add({ name, pid: child.pid, command: module });
    void child.ended.then((end) => this.afterEnd(start, end));
    return child;
  }

  /**
   * Waits until a process with a `readyUrl` is ready.
   *
   * @returns the milliseconds from its start.
   */
  async ready(name: string): Promise<number> {
    const { description, atMs } = this.find(name);
    await waitUntil(`${name} is ready`, async () => (await fetch(description.readyUrl ?? '')).ok);
    return performance.now() - atMs;
  }

  /**
   * Waits for work that depends on the processes.
   *
   * @throws Error as soon as a process ends unexpectedly.
   */
  async unlessBroken<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.broken.then((how) => Promise.reject(new Error(how)))]);
  }

  /** Lists the running processes. */
  list(): { readonly name: string; readonly pid: number }[] {
    return this.running().map(({ name, pid }) => ({ name, pid }));
  }

  /** Sends a signal to a process and its children. */
  signal(name: string, signal: NodeJS.Signals): void {
    process.kill(-this.find(name).child.pid, signal);
  }

  /** Sends SIGTERM to a process, and waits for its end. The process does not restart. */
  async end(name: string): Promise<void> {
    await this.forget(name)?.stop();
  }

  /** Sends SIGKILL to a process, and waits for its end. The process does not restart. */
  async kill(name: string): Promise<void> {
    await this.forget(name)?.kill();
  }

  /**
   * Stops the named processes first, then all others.
   *
   * @returns a sentence for each process that failed to stop cleanly.
   */
  async stop(...first: readonly string[]): Promise<string[]> {
    this.isStopping = true;
    const running = this.running();
    await Promise.all(first.map((name) => this.starts.get(name)?.child.stop() ?? Promise.resolve()));
    await Promise.all([...this.starts.values()].map(({ child }) => child.stop()));
    const ends = await Promise.all(running.map(({ ended }) => ended));
    return ends.flatMap((end) => (end.isClean ? [] : [end.sentence]));
  }

  private afterEnd(start: Start, end: ChildEnd): void {
    if (!this.isLast(start)) return;
    const { startAgain, onAgain } = start.description;
    const pauseMs = startAgain?.(end) ?? null;
    if (pauseMs === null) return this.reportBroken(end.sentence);
    const again = () => {
      if (!this.isLast(start)) return;
      const child = this.start(start.description);
      onAgain?.(child);
    };
    setTimeout(again, pauseMs).unref();
  }

  /** Whether this start is the latest, and the supervisor did not end it. */
  private isLast(start: Start): boolean {
    return !this.isStopping && this.starts.get(start.description.name) === start;
  }

  private running(): readonly Child[] {
    return [...this.starts.values()].map(({ child }) => child).filter(({ hasEnded }) => !hasEnded());
  }

  private find(name: string): Start {
    const start = this.starts.get(name);
    if (start === undefined) throw new Error(`${name} is not running`);
    return start;
  }

  private forget(name: string): Child | undefined {
    const child = this.starts.get(name)?.child;
    this.starts.delete(name);
    return child;
  }
}
