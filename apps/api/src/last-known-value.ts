import { finishInTime } from '@causeway/service/http';

export interface Aged<T> {
  readonly value: T;
  readonly ageMs: number;
}

/** The times of a value, in milliseconds. */
export interface ValueTimes {
  /** Up to this age, a value is fresh. */
  readonly freshMs: number;
  /** How long a caller waits for a new value. */
  readonly patienceMs: number;
  /** Maximum age at which a value is shown. */
  readonly oldestMs: number;
}

/** The source did not answer within `patienceMs`. */
export class SilentSourceError extends Error {
  override readonly name = 'SilentSourceError';

  constructor(patienceMs: number) {
    super(`no answer in ${patienceMs} ms`);
  }
}

/**
 * A value from a slow or unreliable source. All callers share one reading. While the source fails, the last value is
 * shown with its age, and callers do not wait again until a reading succeeds.
 */
export class LastKnownValue<T> {
  private known: { readonly value: T; readonly readAtMs: number } | null = null;
  private reading: { readonly startedAtMs: number; readonly value: Promise<T> } | null = null;
  private isFailing = false;

  constructor(
    private readonly source: () => Promise<T>,
    private readonly times: ValueTimes,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Returns a fresh value, for decisions.
   *
   * @throws the source's error, or a SilentSourceError.
   */
  async fresh(): Promise<T> {
    const known = this.aged();
    if (known !== null && known.ageMs <= this.times.freshMs) return known.value;
    return this.withPatience(this.read());
  }

  /**
   * Returns a fresh value or the last known one, for display only.
   *
   * @throws like `fresh` when no value is recent enough.
   */
  async latest(): Promise<Aged<T>> {
    const known = this.aged();
    if (known !== null && known.ageMs <= this.times.freshMs) return known;
    const isUsable = known !== null && known.ageMs <= this.times.oldestMs;
    const reading = this.read();
    if (isUsable && this.isFailing) return known;
    try {
      return { value: await this.withPatience(reading), ageMs: 0 };
    } catch (error) {
      this.isFailing = true;
      if (isUsable) return known;
      throw error;
    }
  }

  private aged(): Aged<T> | null {
    return this.known === null ? null : { value: this.known.value, ageMs: this.now() - this.known.readAtMs };
  }

  /** Joins the running reading or starts one. */
  private read(): NonNullable<typeof this.reading> {
    if (this.reading !== null) return this.reading;
    const reading = { startedAtMs: this.now(), value: this.source() };
    this.reading = reading;
    reading.value.then(
      (value) => {
        this.known = { value, readAtMs: reading.startedAtMs };
        this.reading = null;
        this.isFailing = false;
      },
      () => {
        this.reading = null;
        this.isFailing = true;
      },
    );
    return reading;
  }

  /** Patience counts from the start of the reading, so a caller that joins late waits less. */
  private async withPatience({ startedAtMs, value }: NonNullable<typeof this.reading>): Promise<T> {
    const { patienceMs } = this.times;
    const restMs = Math.max(0, startedAtMs + patienceMs - this.now());
    return finishInTime(value, restMs, () => new SilentSourceError(patienceMs));
  }
}
