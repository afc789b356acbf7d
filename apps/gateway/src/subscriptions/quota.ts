/** How much may be held at once. */
export interface QuotaLimits {
  /** By one holder. */
  readonly each: number;
  /** By all together. */
  readonly all: number;
}

/** Counts what is held, by holder and in all, so that no client can fill the gateway's memory. */
export class Quota {
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(private readonly limits: QuotaLimits) {}

  /** What is held in all. */
  get total(): number {
    return this.#total;
  }

  /** Which limit the amount would break; null, and it is counted, if none. */
  take(holder: string, amount: number): keyof QuotaLimits | null {
    const held = (this.#held.get(holder) ?? 0) + amount;
    if (held > this.limits.each) return 'each';
    if (this.#total + amount > this.limits.all) return 'all';
    this.#held.set(holder, held);
    this.#total += amount;
    return null;
  }

  /** Gives back what was taken. */
  give(holder: string, amount: number): void {
    const held = (this.#held.get(holder) ?? 0) - amount;
    if (held > 0) this.#held.set(holder, held);
    else this.#held.delete(holder);
    this.#total -= amount;
  }
}
