import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { Child, Environment } from '@causeway/testbed';
import { ServiceLinks } from './network/service-links.ts';
import type { Timeline } from './timeline.ts';

const START_AGAIN_MS = 500;
const FATAL = 60;

/** A relayer or an API behind its links, which is started again whenever it ends. */
export class Service {
  readonly name: string;
  readonly links: ServiceLinks;
  private readonly startProcess: () => Child;
  private readonly timeline: Timeline;
  private readonly logFile: string;
  private child: Child | null = null;
  private isFrozen = false;
  private isWanted = false;
  private read = 0;
  private cut = '';
  /** Log records at the level of an alarm. */
  readonly alarms: string[] = [];
  /** The last token with which it held the lease, by its log. */
  private token: bigint | null = null;

  private constructor(name: string, links: ServiceLinks, timeline: Timeline, logs: string, start: () => Child) {
    this.name = name;
    this.links = links;
    this.timeline = timeline;
    this.logFile = join(logs, `${name}.log`);
    this.startProcess = start;
  }

  /** Starts it. `variables` beside those of its links. */
  static async start(
    environment: Environment,
    kind: 'relayer' | 'api',
    name: string,
    timeline: Timeline,
    variables: Readonly<Record<string, string>>,
  ): Promise<Service> {
    const links = await ServiceLinks.open(environment);
    const start = () => environment.startService(kind, name, { ...variables, ...links.variables });
    const service = new Service(name, links, timeline, environment.stack.logs, start);
    // A frozen process would not see that this one has ended.
    process.once('exit', () => service.thaw());
    service.start();
    return service;
  }

  get isRunning(): boolean {
    return this.child !== null && !this.isFrozen;
  }

  start(): void {
    this.isWanted = true;
    if (this.child !== null) return;
    const child = this.startProcess();
    this.child = child;
    void child.ended.then(({ sentence }) => {
      if (this.child !== child) return;
      this.child = null;
      this.isFrozen = false;
      // Without its database it does not start. A supervisor starts it again.
      this.timeline.note(sentence);
      setTimeout(() => this.isWanted && this.start(), START_AGAIN_MS);
    });
  }

  /** With SIGKILL. It stays down until `start`. */
  async kill(): Promise<void> {
    this.isWanted = false;
    const { child } = this;
    this.child = null;
    this.isFrozen = false;
    await child?.kill();
  }

  /** With SIGSTOP: it keeps its memory, connections and locks. */
  freeze(): void {
    if (this.child === null) return;
    this.isFrozen = true;
    process.kill(this.child.pid, 'SIGSTOP');
  }

  /** With SIGCONT. */
  thaw(): void {
    if (this.child === null || !this.isFrozen) return;
    this.isFrozen = false;
    process.kill(this.child.pid, 'SIGCONT');
  }

  /** How long its main thread has waited for a core, in milliseconds. 0 where the system does not say (Linux does). */
  waitedForCoreMs(): number {
    const file = `/proc/${this.child?.pid}/task/${this.child?.pid}/schedstat`;
    if (!existsSync(file)) return 0;
    // Nanoseconds on a core, then nanoseconds of waiting for one.
    const [, waited] = readFileSync(file, 'utf8').split(' ');
    return Number(waited) / 1e6;
  }

  /** Whether it was the last to take the lease with this token. */
  hasToken(token: bigint): boolean {
    this.readLog();
    return this.token === token;
  }

  /** Reads what was added to the log. */
  readLog(): void {
    if (!existsSync(this.logFile)) return;
    const file = openSync(this.logFile, 'r');
    try {
      const buffer = Buffer.alloc(fstatSync(file).size - this.read);
      this.read += readSync(file, buffer, 0, buffer.length, this.read);
      const lines = `${this.cut}${buffer.toString('utf8')}`.split('\n');
      this.cut = lines.pop() ?? '';
      for (const line of lines) this.readLine(line);
    } finally {
      closeSync(file);
    }
  }

  private readLine(line: string): void {
    if (line.includes(`"level":${FATAL}`)) this.alarms.push(`${this.name}: ${line}`);
    const [, token] = /"token":"(\d+)".*"msg":"this relayer is active"/.exec(line) ?? [];
    if (token !== undefined) this.token = BigInt(token);
  }
}
