import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';
import type { LoadGenerator } from './load.ts';

/** How much to measure. */
export interface Rounds {
  readonly rounds: number;
  readonly roundMs: number;
}

/** Two equivalent endpoints. */
export interface Endpoints {
  readonly baseline: string;
  readonly measured: string;
}

/** Requests per second of two endpoints, and the median ratio of the rounds. */
export interface Comparison {
  readonly baseline: number;
  readonly measured: number;
  readonly ratio: number;
}

/**
 * Puts the same load on both endpoints in alternating rounds, after a warm-up round each, so that other work on the
 * machine affects both.
 *
 * @param connections concurrent requests.
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
  return compareRounds(baseline, measured);
}

/** @param baseline requests per second by round, like `measured`. */
export function compareRounds(baseline: readonly number[], measured: readonly number[]): Comparison {
  const ratios = measured.map((value, round) => value / (baseline[round] ?? Number.NaN));
  return { baseline: median(baseline), measured: median(measured), ratio: median(ratios) };
}

/** The middle value; the mean of the two middle values of an even number of them. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  const high = sorted[Math.floor(middle)] ?? Number.NaN;
  return (low + high) / 2;
}

/** Returns the least-squares slope through equidistant values, per step. */
export function slope(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const middle = (values.length - 1) / 2;
  const covariance = values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0);
  const variance = values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
  return covariance / variance;
}

/**
 * Returns the first half of this machine's cores for taskset (Linux); undefined with one core or without taskset. A
 * node on these cores does not take the gateway's cores, like a node on its own machine.
 */
export function selectHalfOfCores(): string | undefined {
  const half = Math.floor(availableParallelism() / 2);
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  if (half === 0) return undefined;
  return half === 1 ? '0' : `0-${half - 1}`;
}

/** Prints the lines of the table. */
export const report = {
  machine(): void {
    const [cpu] = cpus();
    print(`${cpus().length} × ${cpu?.model ?? 'unknown CPU'}, Node ${process.version}`);
  },
  title(text: string): void {
    print(`\n${text}`);
  },
  /** @param goal the smallest acceptable ratio; null for none. */
  ratio(name: string, { baseline, measured, ratio }: Comparison, goal: number | null): void {
    const target = goal === null ? '' : `  goal ${goal.toFixed(2)}${ratio >= goal ? '' : '  MISSED'}`;
    print(`  ${name.padEnd(34)}${whole(baseline)} → ${whole(measured)} /s   ratio ${ratio.toFixed(2)}${target}`);
  },
  line(name: string, value: string): void {
    print(`  ${name.padEnd(34)}${value}`);
  },
};

function whole(value: number): string {
  return Math.round(value).toLocaleString('en').padStart(9);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
