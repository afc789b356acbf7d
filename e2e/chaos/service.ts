import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '@causeway/testbed';
import { ServiceLinks } from './network/service-links.ts';
import type { Timeline } from './timeline.ts';

const START_AGAIN_MS = 500;
const FATAL = 60;

/** A relayer or API behind its links, which restarts whenever it ends. */
export class Service {
  readonly name: string;
  readonly links: ServiceLinks;
  private readonly processes: Environment['processes'];
  private readonly startProcess: () => void;
  private readonly logFile: string;
  private isFrozen = false;
  private read = 0;
  private cut = '';
  /** Log records at the level of an alarm. */
  readonly alarms: string[] = [];
  /** The last lease token that it held, by its log. */
  private token: bigint | null = null;

  private constructor(
    environment: Environment,
    kind: 'relayer' | 'api',
    name: string,
    timeline: Timeline,
    variables: Readonly<Record<string, string>>,
    links: ServiceLinks,
  ) {
    this.name = name;
    this.links = links;
    this.processes = environment.processes;
    this.logFile = join(environment.stack.logs, `${name}.log`);
    // Without its database it cannot start. A supervisor restarts it.
    const startAgain = ({ sentence }: { readonly sentence: string }) => {
      this.isFrozen = false;
      timeline.note(sentence);
      return START_AGAIN_MS;
    };
    this.startProcess = () =>
      environment.startService(kind, name, { ...variables, ...links.variables }, { startAgain });
  }

  /** Starts the service with `variables` in addition to those of its links. */
  static async start(
    environment: Environment,
    kind: 'relayer' | 'api',
    name: string,
    gatewayUrl: string,
    timeline: Timeline,
    variables: Readonly<Record<string, string>>,
  ): Promise<Service> {
    const links = await ServiceLinks.open(environment, gatewayUrl);
    const service = new Service(environment, kind, name, timeline, variables, links);
    // A frozen process would not notice the end of this one.
    process.once('exit', () => service.thaw());
    service.start();
    return service;
  }

  get isRunning(): boolean {
    return this.pid !== undefined && !this.isFrozen;
  }

  start(): void {
    if (this.pid === undefined) this.startProcess();
  }

  /** Sends SIGKILL. It stays down until `start`. */
  async kill(): Promise<void> {
    this.isFrozen = false;
    await this.processes.kill(this.name);
  }

  /** Sends SIGSTOP: it keeps its memory, connections and locks. */
  freeze(): void {
    if (!this.isRunning) return;
    this.isFrozen = true;
    this.processes.signal(this.name, 'SIGSTOP');
  }

  /** Sends SIGCONT. */
  thaw(): void {
    if (!this.isFrozen) return;
    this.isFrozen = false;
    this.processes.signal(this.name, 'SIGCONT');
  }

  /** Milliseconds that its main thread has waited for a core (Linux); 0 on other systems. */
  waitedForCoreMs(): number {
    const { pid } = this;
    const file = `/proc/${pid}/task/${pid}/schedstat`;
    if (!existsSync(file)) return 0;
    // Nanoseconds on a core, then nanoseconds waiting for one.
    const [, waited] = readFileSync(file, 'utf8').split(' ');
    return Number(waited) / 1e6;
  }

  hasToken(token: bigint): boolean {
    this.readLog();
    return this.token === token;
  }

  /** Reads new lines of the log. */
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

  private get pid(): number | undefined {
    return this.processes.list().find(({ name }) => name === this.name)?.pid;
  }

  private readLine(line: string): void {
    if (line.includes(`"level":${FATAL}`)) this.alarms.push(`${this.name}: ${line}`);
    const [, token] = /"token":"(\d+)".*"msg":"this relayer is active"/.exec(line) ?? [];
    if (token !== undefined) this.token = BigInt(token);
  }
}
