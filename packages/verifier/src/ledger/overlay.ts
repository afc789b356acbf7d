/** A map whose copy costs nothing: the copy keeps its changes over the original, which must not change meanwhile. */
export class Overlay<K, V> {
  /** `undefined`: deleted from the original. */
  private readonly changes = new Map<K, V | undefined>();
  /** Entries more or fewer than in the original. */
  private added = 0;

  constructor(private readonly original: Overlay<K, V> | null = null) {}

  get size(): number {
    return this.original === null ? this.changes.size : this.original.size + this.added;
  }

  get(key: K): V | undefined {
    const own = this.changes.get(key);
    if (own !== undefined || this.original === null || this.changes.has(key)) return own;
    return this.original.get(key);
  }

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  set(key: K, value: V): void {
    if (this.original !== null && !this.has(key)) this.added += 1;
    this.changes.set(key, value);
  }

  delete(key: K): void {
    if (this.original === null) {
      this.changes.delete(key);
      return;
    }
    if (!this.has(key)) return;
    this.added -= 1;
    this.changes.set(key, undefined);
  }

  /** All entries: those of the original first. A changed value stays at its place. */
  *entries(): IterableIterator<[K, V]> {
    if (this.original !== null)
      for (const [key, value] of this.original.entries()) {
        const now = this.changes.has(key) ? this.changes.get(key) : value;
        if (now !== undefined) yield [key, now];
      }
    for (const [key, value] of this.changes)
      if (value !== undefined && !(this.original?.has(key) ?? false)) yield [key, value];
  }

  *values(): IterableIterator<V> {
    for (const [, value] of this.entries()) yield value;
  }

  fork(): Overlay<K, V> {
    return new Overlay(this);
  }
}
