import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KEPT_LOGS = 3;

/**
 * The state that a run leaves for the next: both chains, the embedded database and the address book. Each part survives
 * a crash, and `assertStateFits` checks that they still fit together. A state is never deleted.
 */
export class SavedState {
  private readonly folder: string;
  private readonly marker: string;

  constructor(private readonly directory: string) {
    this.folder = join(directory, 'state');
    this.marker = join(this.folder, 'complete');
  }

  /**
   * Opens the state of the last run, or creates an empty one and moves the old one aside.
   *
   * @param fresh always creates an empty state.
   * @returns whether the state of the last run is used.
   */
  open(fresh: boolean, onStep: (step: string) => void): boolean {
    const isComplete = existsSync(this.marker);
    if (isComplete && !fresh) return true;
    if (existsSync(this.folder)) {
      const aside = freeName(
        join(this.directory, `state-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}`),
      );
      renameSync(this.folder, aside);
      const why = isComplete ? '' : ' (that run ended before its contracts were deployed)';
      onStep(`moved the state of the last run to ${aside}${why}; delete it if you do not need it`);
    }
    mkdirSync(this.folder, { recursive: true });
    return false;
  }

  /** Returns the path of a file or folder of the state. */
  path(
    name:
      | 'ethereum.json'
      | 'partner'
      | 'partner-genesis.json'
      | 'postgres'
      | 'address-book.json'
      | 'faucet-key'
      | 'attesters',
  ): string {
    return join(this.folder, name);
  }

  /** Marks the state as usable by the next run: the contracts are deployed and everything is on disk. */
  complete(): void {
    writeFileSync(this.marker, '');
  }
}

/**
 * Makes an empty log folder. The logs of the last run become `logs.1`, those of the run before it `logs.2`, and so on.
 *
 * @returns the path of the empty folder.
 */
export function rotateLogs(directory: string): string {
  const logs = join(directory, 'logs');
  const older = (age: number) => (age === 0 ? logs : `${logs}.${age}`);
  rmSync(older(KEPT_LOGS), { recursive: true, force: true });
  for (let age = KEPT_LOGS - 1; age >= 0; age -= 1) {
    if (existsSync(older(age))) renameSync(older(age), older(age + 1));
  }
  mkdirSync(logs, { recursive: true });
  return logs;
}

function freeName(wanted: string): string {
  let name = wanted;
  for (let i = 2; existsSync(name); i += 1) name = `${wanted}-${i}`;
  return name;
}
