/** A cached value with a maximum age. Concurrent callers share one read. */
export class Recent<T> {
  private known: { readonly value: T; readonly atMs: number } | null = null;
  private reading: Promise<T> | null = null;

  /** @param now the clock, in milliseconds. */
  constructor(
    private readonly read: () => Promise<T>,
    private readonly maxAgeMs: number,
    private readonly now: () => number,
  ) {}

  /** Returns the value, at most `maxAgeMs` old. */
  async get(): Promise<T> {
    const { known } = this;
    if (known !== null && this.now() - known.atMs < this.maxAgeMs) return known.value;
    return this.reading ?? this.renew();
  }

  /** Reads the value now. A failed read keeps the cached value. */
  renew(): Promise<T> {
    const reading = this.readNow().finally(() => {
      if (this.reading === reading) this.reading = null;
    });
    this.reading = reading;
    return reading;
  }

  private async readNow(): Promise<T> {
    const atMs = this.now();
    const value = await this.read();
    if (this.known === null || this.known.atMs <= atMs) this.known = { value, atMs };
    return value;
  }
}
