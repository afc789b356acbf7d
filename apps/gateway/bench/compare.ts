import type { LoadGenerator } from './load-generator.ts';
import { median } from './median.ts';

/** Requests a second of two endpoints, and the median of the rounds' ratios. */
export interface Comparison {
  readonly baseline: number;
  readonly measured: number;
  readonly ratio: number;
}

/** How much to measure. */
export interface Rounds {
  readonly rounds: number;
  readonly roundMs: number;
}

/** Two endpoints that answer the same. */
export interface Endpoints {
  readonly baseline: string;
  readonly measured: string;
}

/**
 * Puts the same load on both in turn, after a round for each that does not count, so that whatever else goes on on the machine meets both.
 *
 * @param connections requests under way at the same time.
 */
export async function compare(
  load: LoadGenerator,
  endpoints: Endpoints,
  bodies: readonly string[],
  connections: number,
  { rounds, roundMs }: Rounds,
): Promise<Comparison> {
  const baseline: number[] = [];
  const measured: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const run = async (url: string) =>
      (await load.run({ url, bodies, connections, durationMs: roundMs, rate: null })).perSecond;
    const first = await run(endpoints.baseline);
    const second = await run(endpoints.measured);
    if (round < 0) continue;
    baseline.push(first);
    measured.push(second);
  }
  const ratios = measured.map((value, round) => value / (baseline[round] ?? Number.NaN));
  return { baseline: median(baseline), measured: median(measured), ratio: median(ratios) };
}
