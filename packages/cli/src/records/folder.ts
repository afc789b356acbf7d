import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseRecord, RecordError, type RecordStore, type TransferRecord } from '@causeway/sdk';
import type { Context } from '../command.js';
import { FileLock, type LockOptions } from './lock.js';

/** A file that cannot be read as a record. */
export interface UnreadableRecord {
  readonly file: string;
  readonly problem: string;
}

/** The folder of the records: the option, or a default by the XDG Base Directory Specification. */
export function chooseFolder(option: string | undefined, env: Context['env']): string {
  const state = env['XDG_STATE_HOME'];
  return option ?? join(state === undefined || state === '' ? join(homedir(), '.local', 'state') : state, 'causeway');
}

/**
 * Keeps the record of each transfer in a file that only this user can read. Files are replaced atomically and survive a
 * power failure. This process locks each transfer that it runs.
 */
export class RecordFolder implements RecordStore {
  private readonly locks = new Map<string, FileLock>();

  constructor(
    private readonly folder: string,
    private readonly lockOptions: LockOptions = {},
  ) {}

  /**
   * Saves a record. The lock is checked before, so that no newer record is replaced, and after: when another process
   * takes the lock later than that, it finds this record. So two processes never both send the step that it marks.
   *
   * @throws RecordError when another process runs the transfer.
   */
  async save(record: TransferRecord): Promise<void> {
    const lock = await this.lock(record.id);
    await lock.assertHeld();
    const file = this.locate(record.id);
    const temporary = `${file}.${randomUUID()}.tmp`;
    const handle = await open(temporary, 'w', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(record, null, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
    await this.syncFolder();
    await lock.assertHeld();
  }

  /** @throws RecordError when another process runs the transfer. */
  async load(id: string): Promise<TransferRecord | null> {
    await this.lock(id);
    return this.read(id);
  }

  /** Reads a record without locking its transfer; null when there is none. */
  async read(id: string): Promise<TransferRecord | null> {
    let text: string;
    try {
      text = await readFile(this.locate(id), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    return parseRecord(text);
  }

  /** Lists all records, the newest first. */
  async list(): Promise<{
    readonly records: readonly TransferRecord[];
    readonly unreadable: readonly UnreadableRecord[];
  }> {
    const names = await readdir(this.folder).catch(() => []);
    const records: TransferRecord[] = [];
    const unreadable: UnreadableRecord[] = [];
    for (const name of names.filter((each) => /^0x[\da-f]{64}\.json$/.test(each))) {
      try {
        const record = await this.read(name.slice(0, -'.json'.length));
        if (record !== null) records.push(record);
      } catch (error) {
        const problem = error instanceof RecordError ? error.message : 'cannot be read';
        unreadable.push({ file: join(this.folder, name), problem });
      }
    }
    return { records: records.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt)), unreadable };
  }

  /** The file of a record. */
  locate(id: string): string {
    return join(this.folder, `${id.toLowerCase()}.json`);
  }

  /** Releases the locks. */
  async close(): Promise<void> {
    await Promise.all([...this.locks.values()].map(async (lock) => lock.release()));
    this.locks.clear();
  }

  private async lock(id: string): Promise<FileLock> {
    const held = this.locks.get(id);
    if (held !== undefined) return held;
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const lock = await FileLock.take(`${this.locate(id)}.lock`, this.lockOptions);
    this.locks.set(id, lock);
    return lock;
  }

  private async syncFolder(): Promise<void> {
    // Windows cannot open a folder, so it cannot sync one.
    if (process.platform === 'win32') return;
    const handle = await open(this.folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}
