import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { RecordError } from '@causeway/sdk';

/** Another process can remove the lock of a dead process, and take it, at the same time. */
const MOST_ATTEMPTS = 3;

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly token: string;
}

/**
 * A lock file that keeps a second process from running the same transfer. The lock of a dead process is taken over.
 */
export class FileLock {
  private constructor(
    private readonly file: string,
    private readonly token: string,
  ) {}

  /** @throws RecordError while another process holds the lock. */
  static async take(file: string): Promise<FileLock> {
    const holder: Holder = { pid: process.pid, host: hostname(), token: randomUUID() };
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
      if (await create(file, holder)) return new FileLock(file, holder.token);
      const other = await readHolder(file);
      if (other !== null && isAlive(other)) throw inUse(file, other);
      await rm(file, { force: true });
    }
    throw inUse(file, await readHolder(file));
  }

  /**
   * Checks that this process still holds the lock: when two processes both removed the lock of a dead one, the later
   * one holds it.
   *
   * @throws RecordError when another process holds it.
   */
  async assertHeld(): Promise<void> {
    const holder = await readHolder(this.file);
    if (holder?.token !== this.token) throw inUse(this.file, holder);
  }

  async release(): Promise<void> {
    const holder = await readHolder(this.file);
    if (holder?.token === this.token) await rm(this.file, { force: true });
  }
}

/** Creates the lock by a link, so that no process sees a lock file without its holder. */
async function create(file: string, holder: Holder): Promise<boolean> {
  const temporary = `${file}.${holder.token}`;
  await writeFile(temporary, JSON.stringify(holder), { mode: 0o600 });
  try {
    await link(temporary, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Reads the holder of a lock; null when the file is missing or broken. */
async function readHolder(file: string): Promise<Holder | null> {
  try {
    const holder = JSON.parse(await readFile(file, 'utf8')) as Partial<Holder>;
    return typeof holder.pid === 'number' && typeof holder.host === 'string' ? (holder as Holder) : null;
  } catch {
    return null;
  }
}

/** A process on another machine cannot be checked, so it counts as alive. */
function isAlive({ pid, host }: Holder): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function inUse(file: string, holder: Holder | null): RecordError {
  const who = holder === null ? 'another process' : `process ${holder.pid} of ${holder.host}`;
  return new RecordError(
    'id',
    `is in use by ${who}`,
    `Wait until it has ended. If it has already ended, delete ${file}.`,
  );
}
