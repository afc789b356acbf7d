import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Outcome } from './outcome.ts';

/** Schedules with seeds from `seed` on. */
export interface Range {
  readonly seed: number;
  readonly count: number;
  /** A planted bug, or null. */
  readonly plant: string | null;
}

/** A failed schedule and its violation. */
export type Failure = Pick<Outcome, 'schedule' | 'violation' | 'story'>;

/** The result of a schedule, as a worker sends it. */
export interface Ended {
  readonly judgements: number;
  readonly failure: Failure | null;
}

/** Schedules per worker, since the caches of libraries grow with each. */
const PART = 250;
const PROGRESS_MS = 5_000;
/** A larger space for young objects halves the garbage collector's time. */
const LIMITS = { maxYoungGenerationSizeMb: 64 };

/**
 * Runs schedules on all cores until one fails.
 *
 * @param print called with progress.
 * @returns the failure with the lowest seed, how many schedules ran, and how many items were judged.
 */
export async function runMany(
  { seed, count, ...how }: Range,
  print: (line: string) => void,
): Promise<{ readonly failure: Failure | null; readonly done: number; readonly judgements: number }> {
  const startedAt = performance.now();
  const failures: Failure[] = [];
  let next = 0;
  let done = 0;
  let judgements = 0;
  const report = () => {
    const perSecond = (done * 1_000) / (performance.now() - startedAt);
    const left = done === 0 ? '' : `, about ${Math.ceil((count - done) / perSecond)} s left`;
    print(`${done} of ${count} schedules, ${perSecond.toFixed(1)} a second${left}`);
  };
  const progress = setInterval(report, PROGRESS_MS);
  const work = async (): Promise<void> => {
    while (failures.length === 0 && next < count) {
      const part = {
        seed: seed + next,
        count: Math.min(PART, Math.ceil(count / availableParallelism()), count - next),
        ...how,
      };
      next += part.count;
      await runPart(part, ({ failure, judgements: judged }) => {
        done += 1;
        judgements += judged;
        if (failure !== null) failures.push(failure);
      });
    }
  };
  try {
    await Promise.all(Array.from({ length: availableParallelism() }, work));
  } finally {
    clearInterval(progress);
  }
  const [failure] = failures.toSorted((one, other) => one.schedule.seed - other.schedule.seed);
  return { failure: failure ?? null, done, judgements };
}

function runPart(workerData: Range, onEnd: (ended: Ended) => void): Promise<void> {
  const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData, resourceLimits: LIMITS });
  worker.on('message', onEnd);
  return new Promise((resolve, reject) => {
    worker.once('exit', () => resolve());
    worker.once('error', reject);
  });
}
