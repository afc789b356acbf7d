import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WatchState } from './watch/watch.js';

/** The file in which a restart finds what was read from the chains. */
export class StateFile {
  readonly path: string;

  constructor(private readonly directory: string) {
    this.path = join(directory, 'state.json');
  }

  /** @returns null if there is none. @throws Error for a file that cannot be read, or is not JSON. */
  read(): WatchState | null {
    try {
      return JSON.parse(readFileSync(this.path, 'utf8')) as WatchState;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  /** Replaces the file as a whole. */
  write(state: WatchState): void {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    const draft = `${this.path}.new`;
    writeFileSync(draft, JSON.stringify(state), { mode: 0o600 });
    renameSync(draft, this.path);
  }
}
