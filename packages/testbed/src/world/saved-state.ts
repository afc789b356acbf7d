import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What a stack keeps from one run to the next: both chains, the embedded database and the address book. They fit together
 * only when all of them were stopped in order, so after anything else the next run begins anew.
 */
export class SavedState {
  private readonly folder: string;
  private readonly marker: string;

  constructor(directory: string) {
    this.folder = join(directory, 'state');
    this.marker = join(this.folder, 'stopped-in-order');
  }

  /**
   * Takes the state of the last run over, or clears the folder.
   *
   * @param fresh clear it in any case.
   * @returns whether there is a state to go on with.
   */
  open(fresh: boolean): boolean {
    const resumed = !fresh && existsSync(this.marker);
    if (!resumed) rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(this.folder, { recursive: true });
    rmSync(this.marker, { force: true });
    return resumed;
  }

  /** A file or folder of the state. */
  path(name: 'ethereum.json' | 'partner' | 'partner-genesis.json' | 'postgres' | 'address-book.json'): string {
    return join(this.folder, name);
  }

  /** Everything was stopped in order: the next run may go on from here. */
  seal(): void {
    writeFileSync(this.marker, '');
  }
}
