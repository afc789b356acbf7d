import type { Pool } from 'undici';

/** Clients that send requests at the same time. */
export const CONNECTIONS = 50;

/**
 * Requests per second, the 99th percentile of their latency in milliseconds, and the number of responses other than
 * 200.
 */
export interface Load {
  readonly perSecond: number;
  readonly p99: number;
  readonly failures: number;
}

/** How long and how often a request is measured. */
interface Settings {
  readonly seconds: number;
  readonly rounds: number;
  /** Runs only comparisons whose names contain it. */
  readonly only: string;
}

/** Compares a server with a baseline in alternating rounds of the same run. */
export class Benchmark {
  private readonly settings: Settings;
  constructor(settings: Settings) {
    this.settings = settings;
  }

  /** Sends requests on all connections for one round. */
  async load(pool: Pool, path: () => string, headers: Readonly<Record<string, string>> = {}): Promise<Load> {
    const endMs = performance.now() + this.settings.seconds * 1_000;
    const latencies: number[] = [];
    let failures = 0;
    const client = async () => {
      for (let now = performance.now(); now < endMs; now = performance.now()) {
        const { statusCode, body } = await pool.request({ method: 'GET', path: path(), headers });
        await body.dump({ limit: 1_000_000 });
        if (statusCode !== 200) failures++;
        latencies.push(performance.now() - now);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, client));
    const p99 = percentile(latencies, 0.99);
    return { perSecond: latencies.length / this.settings.seconds, p99, failures };
  }

  /** Prints one line with the medians of the rounds. The first round of each is a warm-up. */
  async compare(name: string, baseline: () => Promise<Load>, measured: () => Promise<Load>): Promise<void> {
    if (!name.includes(this.settings.only)) return;
    const rounds: { readonly bare: Load; readonly api: Load }[] = [];
    for (let round = 0; round <= this.settings.rounds; round++) {
      const both = { bare: await baseline(), api: await measured() };
      if (round > 0) rounds.push(both);
    }
    const median = (of: (round: (typeof rounds)[number]) => number) => percentile(rounds.map(of), 0.5);
    const cells = [
      median(({ bare }) => bare.perSecond)
        .toFixed(0)
        .padStart(8),
      median(({ api }) => api.perSecond)
        .toFixed(0)
        .padStart(8),
      median(({ bare, api }) => api.perSecond / bare.perSecond)
        .toFixed(2)
        .padStart(6),
      `  ${median(({ bare }) => bare.p99).toFixed(1)} / ${median(({ api }) => api.p99).toFixed(1)} ms`,
    ];
    const failures = rounds.reduce((sum, { bare, api }) => sum + api.failures + bare.failures, 0);
    process.stdout.write(`${name.padEnd(34)} ${cells.join(' ')}${failures === 0 ? '' : `  ${failures} failed`}\n`);
  }
}

/** Returns the value below which a share of the values lies; NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}
