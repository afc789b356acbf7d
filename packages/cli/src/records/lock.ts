import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { RecordError } from '@causeway/sdk';

/** A lock that a dead process left is removed, and another process may do the same meanwhile. */
const MOST_ATTEMPTS = 3;

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly token: string;
}

/**
 * A file that one process has, so that no second one runs the same transfer. The lock of a dead process is taken over.
 */
export class FileLock {
  private constructor(
    private readonly file: string,
    private readonly token: string,
  ) {}

  /** @throws RecordError while another process has it. */
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
   * Makes sure that the lock is still this one: two processes that take over the lock of a dead one may both have
   * removed it, and then the later one has it.
   *
   * @throws RecordError
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

/** Linked into its place, so that no process sees a lock without its holder. */
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

/** The process that has a lock; null when there is none, or the file is broken. */
async function readHolder(file: string): Promise<Holder | null> {
  try {
    const holder = JSON.parse(await readFile(file, 'utf8')) as Partial<Holder>;
    return typeof holder.pid === 'number' && typeof holder.host === 'string' ? (holder as Holder) : null;
  } catch {
    return null;
  }
}

/** A process of another machine cannot be looked at, so it counts as alive. */
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
  return new RecordError('id', `is in use by ${who}`, `Wait until it has ended. If it has, delete ${file}.`);
}
