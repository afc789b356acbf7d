/** Milliseconds between two lines about the same work. */
const PAUSE_MS = 2_000;

/** The progress of some work, of `total` units. `doneBefore`: units done when this run began. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly doneBefore: number;
  readonly elapsedMs: number;
}

/** Describes progress in a line: done of total, rate and time left, as far as known. Pure. */
export function progressLine(what: string, { done, total, doneBefore, elapsedMs }: Progress): string {
  const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
  const rate = elapsedMs <= 0 ? 0 : ((done - doneBefore) * 1000) / elapsedMs;
  const line = `${what}: ${done} of ${total} (${percent} %)`;
  if (done >= total || rate <= 0) return line;
  return `${line}, ${rate < 10 ? rate.toFixed(1) : Math.round(rate)} a second, ${durationText((total - done) / rate)} left`;
}

function durationText(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 5_400) return `${Math.ceil(seconds / 60)} min`;
  return `${(seconds / 3_600).toFixed(1)} h`;
}

/** Prints the progress of concurrent works, each at most once in two seconds, and at its end. */
export class ProgressPrinter {
  private readonly works = new Map<string, { startedAtMs: number; doneBefore: number; printedAtMs: number }>();

  constructor(
    private readonly write: (line: string) => void,
    private readonly now: () => number,
  ) {}

  show(what: string, done: number, total: number): void {
    const nowMs = this.now();
    const work = this.works.get(what) ?? { startedAtMs: nowMs, doneBefore: done, printedAtMs: -Infinity };
    this.works.set(what, work);
    if (done < total && nowMs - work.printedAtMs < PAUSE_MS) return;
    work.printedAtMs = nowMs;
    const { startedAtMs, doneBefore } = work;
    this.write(progressLine(what, { done, total, doneBefore, elapsedMs: nowMs - startedAtMs }));
  }
}
