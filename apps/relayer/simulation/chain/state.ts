/** The value of a key from a block on. */
interface Version {
  readonly block: number;
  readonly value: unknown;
}

/** Reads the value of a key; undefined if it was never written. */
export type ReadKey = (key: string) => unknown;

/**
 * The state of a chain after each of its blocks, as immutable values by key. A block costs only its changes, and every
 * older state stays readable.
 */
export class ChainState {
  private readonly versions = new Map<string, Version[]>();
  /** The keys that each block wrote, in the order of the blocks. */
  private readonly written: { readonly block: number; readonly keys: readonly string[] }[] = [];

  /** Returns an independent copy. */
  copy(): ChainState {
    const copy = new ChainState();
    for (const [key, versions] of this.versions) copy.versions.set(key, [...versions]);
    copy.written.push(...this.written);
    return copy;
  }

  /** The state after a block. */
  at(block: number): ReadKey {
    return (key) => {
      const versions = this.versions.get(key);
      if (versions === undefined) return undefined;
      for (let index = versions.length - 1; index >= 0; index -= 1) {
        const version = versions[index];
        if (version !== undefined && version.block <= block) return version.value;
      }
      return undefined;
    };
  }

  /** Adds the changes of a block. Call it in ascending order of blocks. */
  commit(block: number, changes: ReadonlyMap<string, unknown>): void {
    if (changes.size === 0) return;
    for (const [key, value] of changes) {
      const versions = this.versions.get(key);
      if (versions === undefined) this.versions.set(key, [{ block, value }]);
      else versions.push({ block, value });
    }
    this.written.push({ block, keys: [...changes.keys()] });
  }

  /** Removes the changes of all blocks after this one. */
  rollBackTo(block: number): void {
    for (let last = this.written.at(-1); last !== undefined && last.block > block; last = this.written.at(-1)) {
      for (const key of last.keys) this.versions.get(key)?.pop();
      this.written.pop();
    }
  }
}

/** A state with changes applied on top. */
export function overlay(before: ReadKey, changes: ReadonlyMap<string, unknown>): ReadKey {
  return (key) => (changes.has(key) ? changes.get(key) : before(key));
}
