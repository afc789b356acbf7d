import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild, type Child, type ChildInput } from './child-process.js';
import type { RunRecord } from './run-record.js';

const PAUSE_MS = 100;

/** The processes of one environment: started one after the other, watched, and stopped together. */
export class ProcessGroup {
  private readonly children = new Map<string, Child>();
  private hasBegunToStop = false;
  private reportBroken: (how: string) => void = () => undefined;

  /** Resolves with a sentence when a process ends unexpectedly. */
  readonly broken = new Promise<string>((resolve) => {
    this.reportBroken = resolve;
  });

  /**
   * @param logs folder of the log files, one for each process.
   * @param onProblem receives what a running process reports.
   */
  constructor(
    private readonly logs: string,
    private readonly record: RunRecord,
    private readonly onProblem: (problem: string) => void,
  ) {}

  /** Whether `stop` was called. Nothing starts any more then. */
  get isStopping(): boolean {
    return this.hasBegunToStop;
  }

  /**
   * Starts a process under a name; an earlier one of the same name must have ended.
   *
   * @param onEnd receives how the process ended, when a signal from elsewhere or its own decision ended it. Without it
   * the environment is broken then.
   * @throws Error after `stop`.
   */
  start(input: Omit<ChildInput, 'logFile' | 'onProblem'>, onEnd?: (how: string) => void): Child {
    if (this.isStopping) throw new Error(`${input.name} was not started: the environment is being stopped`);
    const logFile = join(this.logs, `${input.name}.log`);
    const child = startChild({ ...input, logFile, onProblem: this.onProblem });
    this.children.set(input.name, child);
    this.record.add({ name: input.name, pid: child.pid, command: input.module });
    void child.ended.then(({ isClean, how, sentence }) => {
      if (this.isStopping || this.children.get(input.name) !== child) return;
      if (isClean && onEnd !== undefined) onEnd(how);
      else this.reportBroken(sentence);
    });
    return child;
  }

  /**
   * Waits for work that needs the processes.
   *
   * @throws Error as soon as a process ends unexpectedly.
   */
  async unlessBroken<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.broken.then((how) => Promise.reject(new Error(how)))]);
  }

  /** The processes that run. */
  list(): { readonly name: string; readonly pid: number }[] {
    return [...this.children.values()].filter(({ hasEnded }) => !hasEnded()).map(({ name, pid }) => ({ name, pid }));
  }

  /** Sends SIGTERM to a process, and waits for its end. */
  async end(name: string): Promise<void> {
    const child = this.children.get(name);
    this.children.delete(name);
    await child?.stop();
  }

  /** Sends SIGKILL to a process. */
  async kill(name: string): Promise<void> {
    const child = this.children.get(name);
    this.children.delete(name);
    await child?.kill();
  }

  /**
   * Stops all processes: those named first, then the others.
   *
   * @returns a sentence for each process that failed while it stopped.
   */
  async stop(...first: readonly string[]): Promise<string[]> {
    this.hasBegunToStop = true;
    const running = [...this.children.values()].filter(({ hasEnded }) => !hasEnded());
    await Promise.all(first.map((name) => this.children.get(name)?.stop() ?? Promise.resolve()));
    await Promise.all([...this.children.values()].map((child) => child.stop()));
    const ends = await Promise.all(running.map(({ ended }) => ended));
    return ends.flatMap((end) => (end.isClean ? [] : [end.sentence]));
  }
}

/**
 * Repeats a question until the answer is true. An error counts as false.
 *
 * @param what completes "waited in vain until ...".
 * @throws Error when the answer is not true after `timeoutMs` (a minute by default).
 */
export async function waitUntil(what: string, ask: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let last: unknown;
  while (Date.now() < deadline) {
    try {
      if (await ask()) return;
    } catch (error) {
      last = error;
    }
    await sleep(PAUSE_MS);
  }
  throw new Error(`Waited ${timeoutMs / 1000} s in vain until ${what}`, { cause: last });
}
