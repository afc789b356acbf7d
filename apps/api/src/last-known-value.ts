import { finishInTime } from '@causeway/service/http';

/** A value and its age. */
export interface Aged<T> {
  readonly value: T;
  readonly ageMs: number;
}

/** The times of a value, in milliseconds. */
export interface ValueTimes {
  /** A value of this age is as good as a new one. */
  readonly freshMs: number;
  /** A caller waits this long for a new one. */
  readonly patienceMs: number;
  /** An older value is not shown any more. */
  readonly oldestMs: number;
}

/** The source was silent for longer than a caller waits. */
export class SilentSourceError extends Error {
  override readonly name = 'SilentSourceError';

  constructor(patienceMs: number) {
    super(`no answer in ${patienceMs} ms`);
  }
}

/**
 * A value that a slow or silent source provides. All callers share one reading. While the source fails, the last value
 * is shown with its age, and no caller waits for it again until a reading succeeds.
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
   * @throws the error of the source, or a SilentSourceError.
   */
  async fresh(): Promise<T> {
    const known = this.aged();
    if (known !== null && known.ageMs <= this.times.freshMs) return known.value;
    return this.withPatience(this.read());
  }

  /**
   * Returns a fresh value or the last one, for answers that only show it.
   *
   * @throws like `fresh` when there is none that is young enough.
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

  /** Joins the reading that runs, or starts one. */
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

  /** The patience counts from the start of the reading: a caller that joins it late waits for less. */
  private async withPatience({ startedAtMs, value }: NonNullable<typeof this.reading>): Promise<T> {
    const { patienceMs } = this.times;
    const restMs = Math.max(0, startedAtMs + patienceMs - this.now());
    return finishInTime(value, restMs, () => new SilentSourceError(patienceMs));
  }
}
