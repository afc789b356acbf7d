import { join } from 'node:path';
import { startChild, type Child, type ChildInput } from './child-process.js';

/** The processes of one world: started one by one, watched, and stopped together. */
export class ProcessGroup {
  private readonly children = new Map<string, Child>();
  private stopping = false;
  private reportBroken: (how: string) => void = () => undefined;

  /** Resolves with a sentence when any process ends that should not. */
  readonly broken = new Promise<string>((resolve) => {
    this.reportBroken = resolve;
  });

  constructor(private readonly logs: string) {}

  /** Starts a process under a name; one of the same name must have ended. */
  start(input: Omit<ChildInput, 'logFile'>): Child {
    const child = startChild({ ...input, logFile: join(this.logs, `${input.name}.log`) });
    this.children.set(input.name, child);
    void child.ended.then((how) => {
      if (!this.stopping && this.children.get(input.name) === child) this.reportBroken(how);
    });
    return child;
  }

  /**
   * Waits for something that needs the processes.
   *
   * @throws Error as soon as a process ends that should not.
   */
  async unlessBroken<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.broken.then((how) => Promise.reject(new Error(how)))]);
  }

  /** Ends a process at once, as a power cut would. */
  async kill(name: string): Promise<void> {
    const child = this.children.get(name);
    this.children.delete(name);
    await child?.kill();
  }

  /** Ends all processes in order: those named first, then what they stand on. */
  async stop(...first: readonly string[]): Promise<void> {
    this.stopping = true;
    await Promise.all(first.map((name) => this.children.get(name)?.stop() ?? Promise.resolve()));
    await Promise.all([...this.children.values()].map((child) => child.stop()));
  }
}
