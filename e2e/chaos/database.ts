import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil, type PostgresReady } from '@causeway/test-kit';
import { describePostgres, Supervisor, type Child } from '@causeway/testbed';
import { Pool, type QueryResultRow } from 'pg';
import { Link } from './network/link.ts';

/** PostgreSQL needs about a quarter of this. */
const DISK_MEGABYTES = 320;
const START_AGAIN_MS = 300;
const NOTICED_WITHIN_MS = 10_000;
const FILL_AGAIN_MS = 20;
const RECOVERS_WITHIN_MS = 20_000;
const MEGABYTE = Buffer.alloc(2 ** 20);
const PAGE = Buffer.alloc(2 ** 12);

/**
 * A PostgreSQL server that restarts whenever it ends, behind a link with a fixed port. Its data is on a small tmpfs,
 * where this process can mount one.
 */
export class Database {
  private readonly disk: string;
  private readonly logFile: string;
  private readonly processes: Supervisor;
  private isSmallDisk = false;
  /** The server's wrapper process, once the server answers. */
  private wrapper: Child | null = null;
  private serverPid = 0;
  private answering = Promise.withResolvers<void>();
  private link!: Link;
  private pool!: Pool;
  private name = '';

  private constructor(directory: string) {
    this.disk = join(directory, 'disk');
    this.logFile = join(directory, 'postgres.log');
    this.processes = new Supervisor(directory);
  }

  /** @param directory folder of this run, which must exist. */
  static async start(directory: string): Promise<Database> {
    const database = new Database(directory);
    mkdirSync(database.disk);
    database.isSmallDisk = mountDisk(database.disk);
    process.once('exit', () => database.unmount());
    database.link = await Link.to(0);
    await database.launch();
    database.pool = new Pool({ connectionString: database.url, max: 2, connectionTimeoutMillis: 2_000 });
    database.pool.on('error', () => undefined);
    // Without these settings, the log could fill the disk, or have spare files.
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

  /** Runs a statement of the checks on a connection without faults. */
  async query<R extends QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return (await this.pool.query<R>(text, [...values])).rows;
  }

  /** Stops the server like `pg_ctl stop -m immediate`, without a checkpoint, and waits until it has recovered. */
  async restart(): Promise<void> {
    const { wrapper } = this;
    if (wrapper !== null) {
      process.kill(this.serverPid, 'SIGQUIT');
      await wrapper.ended;
    }
    await this.answering.promise;
  }

  /**
   * Fills the disk until the server notices, and for a while longer.
   *
   * @param isLog makes the server need a new log file, so that it stops and recovers. Otherwise it only refuses
   *   statements that need a new table page.
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

  /** How often the server's log reports no space. */
  refusals(): number {
    return readFileSync(this.logFile, 'utf8').split('No space left on device').length - 1;
  }

  /**
   * Waits until the server answers. Rarely, its recovery fails on a full disk and hangs; then the server is restarted,
   * as a supervisor would do.
   */
  private async recovered(): Promise<void> {
    const within = { timeoutMs: RECOVERS_WITHIN_MS, intervalMs: START_AGAIN_MS };
    await waitUntil('the server answers', () => this.query('SELECT 1'), within).catch(() => this.restart());
  }

  async stop(): Promise<void> {
    await this.pool?.end();
    await this.processes.stop();
    await this.link?.close();
    this.unmount();
  }

  private unmount(): void {
    if (this.isSmallDisk) asRoot('umount', '--lazy', this.disk);
    this.isSmallDisk = false;
  }

  /** Starts the server repeatedly, since it cannot run on a full disk. */
  private async launch(): Promise<void> {
    const follow = (wrapper: Child) => void wrapper.message.then((message) => this.follow(wrapper, message));
    const startAgain = () => {
      if (this.wrapper !== null) this.answering = Promise.withResolvers<void>();
      this.wrapper = null;
      return START_AGAIN_MS;
    };
    follow(this.processes.start({ ...describePostgres(join(this.disk, 'postgres')), startAgain, onAgain: follow }));
    await this.answering.promise;
  }

  private follow(wrapper: Child, message: unknown): void {
    const { pid, url } = message as PostgresReady;
    [this.wrapper, this.serverPid, this.name] = [wrapper, pid, `${url}/causeway`];
    this.link.retarget(Number(new URL(url).port));
    this.answering.resolve();
  }
}

/** Writes until the disk is full. */
function fill(file: number): void {
  for (const piece of [MEGABYTE, PAGE]) {
    try {
      for (;;) writeSync(file, piece);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
}

/** @returns false where this process cannot mount a disk. */
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
