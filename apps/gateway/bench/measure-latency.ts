import type { Endpoints, Rounds } from './compare.ts';
import type { LoadGenerator } from './load-generator.ts';
import { median } from './median.ts';
import { report } from './report.ts';
import { startBareServer } from './start-bare-server.ts';

const GOAL_MS = 3;

/**
 * What the gateway adds to the time that 99 of 100 requests take. Beside it stands what a server adds that answers by itself, without a node: as much
 * of it is Node's and the machine's, where load, gateway and node share few cores.
 *
 * @param rate requests a second: half of what the gateway can do.
 */
export async function measureLatency(
  load: LoadGenerator,
  { baseline, measured }: Endpoints,
  bodies: readonly string[],
  connections: number,
  rate: number,
  { rounds, roundMs: durationMs }: Rounds,
): Promise<void> {
  const bare = await startBareServer();
  const p99 = async (url: string) => (await load.run({ url, bodies, connections, durationMs, rate })).p99Ms;
  const direct: number[] = [];
  const through: number[] = [];
  const alone: number[] = [];
  // The first round of each does not count.
  for (let round = -1; round < rounds; round++) {
    const times = [await p99(baseline), await p99(measured), await p99(bare.url)] as const;
    if (round < 0) continue;
    direct.push(times[0]);
    through.push(times[1]);
    alone.push(times[2]);
  }
  bare.stop();
  const added = (times: readonly number[]) => times.map((time, round) => time - (direct[round] ?? Number.NaN));
  const ours = added(through);
  report.line(`p99 at ${Math.round(rate)} /s`, `${ms(direct)} → ${ms(through)} ms`);
  report.line('  added', `${ms(ours)} ms  goal < ${GOAL_MS}${median(ours) < GOAL_MS ? '' : '  MISSED'}`);
  report.line('  added by Node’s server alone', `${ms(added(alone))} ms`);
}

/** The median, and from the least to the most. */
function ms(times: readonly number[]): string {
  return `${median(times).toFixed(2)} (${Math.min(...times).toFixed(2)} … ${Math.max(...times).toFixed(2)})`;
}
