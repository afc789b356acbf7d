import { randomUUID } from 'node:crypto';
import { link, open, readFile, readlink, rename, rm, type FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { RecordError } from '@causeway/sdk';

/** Another process can take or release the lock between two steps of an attempt. */
const MOST_ATTEMPTS = 3;
/** Renewals that a holder must miss while another process watches. */
const MISSED_RENEWALS = 2;

/** How to take a lock. */
export interface LockOptions {
  /** Default: 5,000. */
  readonly renewMs?: number;
  /** Without a renewal for this long, the holder may be dead. Default: 60,000. */
  readonly deadMs?: number;
  readonly signal?: AbortSignal;
  /** Receives a sentence when the lock of another process must be watched first. */
  readonly onWait?: (sentence: string) => void;
}

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Where the pid identifies a process: containers and machines can share a folder, and even a host name. */
  readonly place: string;
  /** Start time of the process, since a later process can have its pid; null where the system does not show it. */
  readonly started: string | null;
  readonly token: string;
}

/** A lock file as another process sees it. */
interface SeenLock {
  /** Null when the file is broken. */
  readonly holder: Holder | null;
  /** Time of the last renewal, by the holder's clock. */
  readonly renewedMs: number;
}

/**
 * A lock file that keeps a second process from running the same transfer. Its holder renews it. Another process takes
 * it over when the holder has ended, or did not renew it for a minute. Clocks can be wrong and machines suspended, so
 * a process that finds an old lock watches it for renewals before it takes it.
 */
export class FileLock {
  private readonly timer: NodeJS.Timeout;

  private constructor(
    private readonly file: string,
    private readonly token: string,
    private readonly handle: FileHandle,
    renewMs: number,
  ) {
    // Through the handle, since another holder's file has the name after a takeover. assertHeld notices the takeover.
    const renew = () => void handle.utimes(new Date(), new Date()).catch(() => undefined);
    this.timer = setInterval(renew, renewMs).unref();
  }

  /** @throws RecordError while another process holds the lock. */
  static async take(file: string, options: LockOptions = {}): Promise<FileLock> {
    const { renewMs = 5_000 } = options;
    const token = randomUUID();
    const temporary = `${file}.${token}`;
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(JSON.stringify(await describeSelf(token)));
      await install(temporary, file, options);
      return new FileLock(file, token, handle, renewMs);
    } catch (error) {
      await handle.close();
      throw error;
    } finally {
      await rm(temporary, { force: true });
    }
  }

  /**
   * Checks that this process still holds the lock. It can lose it while it is suspended.
   *
   * @throws RecordError when another process holds it.
   */
  async assertHeld(): Promise<void> {
    const seen = await readLock(this.file);
    if (seen?.holder?.token !== this.token) throw inUse(seen);
  }

  async release(): Promise<void> {
    clearInterval(this.timer);
    await this.handle.close();
    if ((await readLock(this.file))?.holder?.token === this.token) await rm(this.file, { force: true });
  }
}

/** Gives a complete lock file its name, so that no process sees one without its holder. */
async function install(temporary: string, file: string, options: LockOptions): Promise<void> {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    if (await createLink(temporary, file)) return;
    const seen = await readLock(file);
    if (seen === null) continue;
    if (!(await isDead(file, seen, options))) throw inUse(seen);
    // Of two processes that replace a dead one's lock, the later holds it; `assertHeld` stops the other one.
    return rename(temporary, file);
  }
  throw inUse(await readLock(file));
}

async function createLink(temporary: string, file: string): Promise<boolean> {
  try {
    await link(temporary, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function isDead(file: string, seen: SeenLock, options: LockOptions): Promise<boolean> {
  const { renewMs = 5_000, deadMs = 60_000, signal, onWait } = options;
  if (seen.holder !== null && (await hasEnded(seen.holder))) return true;
  // A renewal in the future shows that one of the two clocks is wrong.
  if (Math.abs(Date.now() - seen.renewedMs) < deadMs) return false;
  onWait?.(`Waiting to see whether ${describeHolder(seen)} still runs this transfer`);
  for (let missed = 0; missed < MISSED_RENEWALS; missed += 1) {
    await setTimeout(renewMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
    const now = await readLock(file);
    if (now?.holder?.token !== seen.holder?.token || now?.renewedMs !== seen.renewedMs) return false;
  }
  return true;
}

/** Whether a process of this machine and container has ended; others cannot be checked. */
async function hasEnded({ pid, place, started }: Holder): Promise<boolean> {
  if (place !== (await findPlace())) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true;
  }
  const present = await readStart(pid);
  return started !== null && present !== null && present !== started;
}

async function describeSelf(token: string): Promise<Holder> {
  const { pid } = process;
  return { pid, host: hostname(), place: await findPlace(), started: await readStart(pid), token };
}

/** The boot of the kernel and the namespace of its processes, where the system has them. */
async function findPlace(): Promise<string> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    return `${boot.trim()} ${await readlink('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** Field 22 of /proc/<pid>/stat, in ticks since the boot. The name before it can contain spaces and parentheses. */
async function readStart(pid: number): Promise<string | null> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return /.*\) (?:\S+ ){19}(\d+)/s.exec(line)?.[1] ?? null;
}

/** Reads a lock; null when there is none. */
async function readLock(file: string): Promise<SeenLock | null> {
  let handle: FileHandle;
  try {
    handle = await open(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const { mtimeMs: renewedMs } = await handle.stat();
    return { holder: parseHolder(await handle.readFile('utf8')), renewedMs };
  } finally {
    await handle.close();
  }
}

function parseHolder(text: string): Holder | null {
  try {
    const { pid, host, place, started, token } = Object(JSON.parse(text)) as Partial<Holder>;
    if (typeof pid !== 'number' || typeof host !== 'string' || typeof token !== 'string') return null;
    return { pid, host, place: String(place), started: started ?? null, token };
  } catch {
    return null;
  }
}

function describeHolder(seen: SeenLock | null): string {
  return seen?.holder ? `process ${seen.holder.pid} of ${seen.holder.host}` : 'another process';
}

function inUse(seen: SeenLock | null): RecordError {
  const nextStep = 'Wait until it has ended. If it was killed, try again after a minute.';
  return new RecordError('id', `is in use by ${describeHolder(seen)}`, nextStep);
}
