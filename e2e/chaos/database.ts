import { execFileSync, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresReady } from '@causeway/test-kit';
import { Pool, type QueryResultRow } from 'pg';
import { Link } from './network/link.ts';

const postgres = createRequire(import.meta.url).resolve('@causeway/test-kit/postgres-process');

/** PostgreSQL needs about a quarter of it. */
const DISK_MEGABYTES = 320;
const START_AGAIN_MS = 300;
const NOTICED_WITHIN_MS = 10_000;
const FILL_AGAIN_MS = 20;
const RECOVERS_WITHIN_MS = 20_000;
const MEGABYTE = Buffer.alloc(2 ** 20);
const PAGE = Buffer.alloc(2 ** 12);

/**
 * A PostgreSQL server that starts again whenever it ends, behind a link that stays at one port. Its data is on a small
 * disk of its own (tmpfs) where this process may mount one.
 */
export class Database {
  private readonly disk: string;
  private readonly logFile: string;
  private readonly log: number;
  private isSmallDisk = false;
  private isStopping = false;
  private wrapper: ChildProcess | null = null;
  private serverPid = 0;
  private running: Promise<void> = Promise.resolve();
  private link!: Link;
  private pool!: Pool;
  private name = '';

  private constructor(directory: string) {
    this.disk = join(directory, 'disk');
    this.logFile = join(directory, 'postgres.log');
    this.log = openSync(this.logFile, 'a');
  }

  /** @param directory of this run; it must exist. */
  static async start(directory: string): Promise<Database> {
    const database = new Database(directory);
    mkdirSync(database.disk);
    database.isSmallDisk = mountDisk(database.disk);
    process.once('exit', () => database.unmount());
    database.link = await Link.to(0);
    await database.launch();
    database.pool = new Pool({ connectionString: database.url, max: 2, connectionTimeoutMillis: 2_000 });
    database.pool.on('error', () => undefined);
    // Otherwise the disk would be full without a ballast, or its log would have spare files.
    for (const setting of ["min_wal_size = '32MB'", "max_wal_size = '64MB'", 'wal_recycle = off'])
      await database.query(`ALTER SYSTEM SET ${setting}`);
    await database.query('SELECT pg_reload_conf()');
    return database;
  }

  /** Connection string that stays valid over restarts. */
  get url(): string {
    const url = new URL(this.name);
    url.port = `${this.link.port}`;
    return url.toString();
  }

  get canFillDisk(): boolean {
    return this.isSmallDisk;
  }

  /** Runs a statement of the checks, on connections without faults. */
  async query<R extends QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return (await this.pool.query<R>(text, [...values])).rows;
  }

  /** Stops the server as `pg_ctl stop -m immediate` does, without a checkpoint, and waits until it has recovered. */
  async restart(): Promise<void> {
    const { wrapper } = this;
    if (wrapper === null) return this.running;
    const ended = once(wrapper, 'exit');
    process.kill(this.serverPid, 'SIGQUIT');
    await ended;
    // The handler of its end, which starts it again, has run.
    await sleep(0);
    await this.running;
  }

  /**
   * Leaves no byte free on the disk until the server notices, and a while longer.
   *
   * @param isLog whether the server needs a new file of its log now. Without it, it stops and recovers; without a page
   *   of a table, it only refuses what needs one.
   */
  async fillDisk(milliseconds: number, isLog: boolean): Promise<void> {
    const ballast = join(this.disk, 'ballast');
    const file = openSync(ballast, 'w');
    const before = this.refusals();
    let deadline = performance.now() + NOTICED_WITHIN_MS;
    let isNoticed = false;
    for (; performance.now() < deadline; await sleep(FILL_AGAIN_MS)) {
      fill(file);
      if (isLog && !isNoticed) await this.query('SELECT pg_switch_wal()').catch(() => undefined);
      if (isNoticed || this.refusals() === before) continue;
      isNoticed = true;
      deadline = performance.now() + milliseconds;
    }
    closeSync(file);
    rmSync(ballast);
    if (isLog) await this.recovered();
  }

  /** How often the server had no space, by its log. */
  refusals(): number {
    return readFileSync(this.logFile, 'utf8').split('No space left on device').length - 1;
  }

  /**
   * Waits until the server answers. Seldom its recovery finds the disk full, fails, and hangs instead of ending; then
   * it is restarted, as its supervisor would.
   */
  private async recovered(): Promise<void> {
    for (
      const deadline = performance.now() + RECOVERS_WITHIN_MS;
      performance.now() < deadline;
      await sleep(START_AGAIN_MS)
    )
      try {
        await this.query('SELECT 1');
        return;
      } catch {
        // It recovers.
      }
    await this.restart();
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await this.pool?.end();
    await this.running;
    if (this.wrapper !== null) {
      const ended = once(this.wrapper, 'exit');
      this.wrapper.kill('SIGTERM');
      await ended;
    }
    await this.link?.close();
    closeSync(this.log);
    this.unmount();
  }

  private unmount(): void {
    if (this.isSmallDisk) asRoot('umount', '--lazy', this.disk);
    this.isSmallDisk = false;
  }

  /** Tries until the server runs: with a full disk it does not. */
  private async launch(): Promise<void> {
    while (!this.isStopping) {
      const wrapper = fork(postgres, [join(this.disk, 'postgres')], {
        execArgv: ['--disable-warning=ExperimentalWarning'],
        stdio: ['ignore', this.log, this.log, 'ipc'],
        // Ctrl-C is for this process, which stops the server in order.
        detached: true,
      });
      const exit = once(wrapper, 'exit').then(() => null);
      const message = await Promise.race([once(wrapper, 'message').then(([first]) => first as object), exit]);
      if (message === null) {
        await sleep(START_AGAIN_MS);
        continue;
      }
      const { pid, url } = message as PostgresReady;
      [this.wrapper, this.serverPid, this.name] = [wrapper, pid, `${url}/causeway`];
      this.link.retarget(Number(new URL(url).port));
      void exit.then(() => {
        this.wrapper = null;
        if (!this.isStopping) this.running = this.launch();
      });
      return;
    }
  }
}

/** Writes until nothing fits any more. */
function fill(file: number): void {
  for (const piece of [MEGABYTE, PAGE]) {
    try {
      for (;;) writeSync(file, piece);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
}

/** @returns false where this process may not mount a disk. */
function mountDisk(directory: string): boolean {
  try {
    asRoot('mount', '-t', 'tmpfs', '-o', `size=${DISK_MEGABYTES}m,mode=1777`, 'causeway-chaos', directory);
    return true;
  } catch {
    return false;
  }
}

function asRoot(...command: readonly string[]): void {
  const [program, ...words] = process.getuid?.() === 0 ? command : ['sudo', '-n', ...command];
  execFileSync(program ?? '', words, { stdio: 'ignore' });
}
