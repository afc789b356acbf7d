import { forkGateway } from '../test/processes/fork-gateway.ts';
import type { Rounds } from './compare.ts';
import type { Cores } from './cores.ts';
import { deployToken } from './deploy-token.ts';
import { keepToCores } from './keep-to-cores.ts';
import { LoadGenerator } from './load-generator.ts';
import { median } from './median.ts';
import { readBodies } from './read-bodies.ts';
import { report } from './report.ts';
import { startAnvil } from './start-anvil.ts';
import { startBareServer } from './start-bare-server.ts';

const CHAIN_ID = 8901;
const CONNECTIONS = 50;
const GOAL_MS = 3;

/**
 * What the gateway adds to the time that 99 of 100 requests take, at half of the rate that saturates it. Beside it stands what a server of Node's adds that
 * answers by itself, without a node.
 *
 * @param cores the gateway's are its own, load and node share the others; null for all on any.
 */
export async function benchLatency({ rounds, roundMs: durationMs }: Rounds, cores: Cores | null): Promise<void> {
  const load = new LoadGenerator();
  const anvil = await startAnvil(['--chain-id', String(CHAIN_ID)], cores?.node);
  const environment = { BACKEND: 'upstream', UPSTREAM_URLS: anvil.url, CHAIN_ID: String(CHAIN_ID), LOG_LEVEL: 'warn' };
  const gateway = await forkGateway(environment);
  const bare = await startBareServer();
  try {
    if (cores !== null) {
      keepToCores(load.pid, cores.node);
      for (const { pid } of [gateway, bare]) keepToCores(pid, cores.gateway);
    }
    const where =
      cores === null ? 'all on any core' : `the gateway on core ${cores.gateway}, the others on ${cores.node}`;
    report.title(`What the gateway adds to the time of a node, ${where}`);
    const { blockNumber: bodies } = readBodies(await deployToken(anvil.url, CHAIN_ID));
    const run = (url: string, rate: number | null) =>
      load.run({ url, bodies, connections: CONNECTIONS, durationMs, rate });
    await run(gateway.httpUrl, null);
    const saturated: number[] = [];
    for (let round = 0; round < rounds; round++) saturated.push((await run(gateway.httpUrl, null)).perSecond);
    const rate = median(saturated) / 2;
    const direct: number[] = [];
    const through: number[] = [];
    const alone: number[] = [];
    for (let round = 0; round < rounds; round++) {
      direct.push((await run(anvil.url, rate)).p99Ms);
      through.push((await run(gateway.httpUrl, rate)).p99Ms);
      alone.push((await run(bare.url, rate)).p99Ms);
    }
    const added = (times: readonly number[]) => times.map((time, round) => time - (direct[round] ?? Number.NaN));
    const ours = added(through);
    report.line(`p99 at ${Math.round(rate)} /s`, `${inMs(direct)} → ${inMs(through)} ms`);
    report.line('  added', `${inMs(ours)} ms  goal < ${GOAL_MS}${median(ours) < GOAL_MS ? '' : '  MISSED'}`);
    report.line('  added by Node’s server alone', `${inMs(added(alone))} ms`);
  } finally {
    load.stop();
    bare.stop();
    await gateway.stop();
    await anvil.stop();
  }
}

/** The median, and from the least to the most. */
function inMs(times: readonly number[]): string {
  return `${median(times).toFixed(2)} (${Math.min(...times).toFixed(2)} … ${Math.max(...times).toFixed(2)})`;
}
