import { forkGateway } from '../test/processes/fork-gateway.ts';
import { compare, type Endpoints, type Rounds } from './compare.ts';
import { deployToken } from './deploy-token.ts';
import { LoadGenerator } from './load-generator.ts';
import { median } from './median.ts';
import { readBodies, type ReadBodies } from './read-bodies.ts';
import { report } from './report.ts';
import { startAnvil } from './start-anvil.ts';

const CHAIN_ID = 8901;
const CONNECTIONS = 50;
const BATCH_CONNECTIONS = 10;

/**
 * What the gateway costs: a node asked directly is the baseline, the same node asked through the gateway is measured.
 *
 * @param cores those that the node keeps to; null for all.
 */
export async function benchUpstream(rounds: Rounds, cores: string | null): Promise<void> {
  const load = new LoadGenerator();
  const anvil = await startAnvil(['--chain-id', String(CHAIN_ID)], cores);
  const gateway = await forkGateway({
    BACKEND: 'upstream',
    UPSTREAM_URLS: anvil.url,
    CHAIN_ID: String(CHAIN_ID),
    LOG_LEVEL: 'warn',
  });
  try {
    const where = cores === null ? 'on any core' : `on core ${cores}`;
    report.title(`Gateway before a node / the node itself, the node ${where}`);
    const endpoints = { baseline: anvil.url, measured: gateway.httpUrl };
    const bodies = readBodies(await deployToken(anvil.url, CHAIN_ID));
    const row = async (name: string, list: readonly string[], connections: number, goal: number) => {
      const { baseline, measured, ratio } = await compare(load, endpoints, list, connections, rounds);
      report.ratio(name, baseline, measured, ratio, goal);
      return measured;
    };
    const saturation = await row('eth_blockNumber', bodies.blockNumber, CONNECTIONS, 0.6);
    await row('eth_call', bodies.call, CONNECTIONS, 0.6);
    await row('batch of 100 eth_call', bodies.batchOfCalls, BATCH_CONNECTIONS, 0.8);
    await row('batch of 100, mixed', bodies.mixedBatch, BATCH_CONNECTIONS, 0.8);
    await latency(load, endpoints, bodies, saturation / 2, rounds);
  } finally {
    load.stop();
    await gateway.stop();
    await anvil.stop();
  }
}

/** @param rate requests a second: half of what the gateway can do. */
async function latency(
  load: LoadGenerator,
  { baseline, measured }: Endpoints,
  { blockNumber: bodies }: ReadBodies,
  rate: number,
  { rounds, roundMs: durationMs }: Rounds,
): Promise<void> {
  const direct: number[] = [];
  const through: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const run = async (url: string) =>
      (await load.run({ url, bodies, connections: CONNECTIONS, durationMs, rate })).p99Ms;
    direct.push(await run(baseline));
    through.push(await run(measured));
  }
  const added = median(through) - median(direct);
  const text = `${median(direct).toFixed(2)} → ${median(through).toFixed(2)} ms, adds ${added.toFixed(2)} ms`;
  report.line(`p99 at ${Math.round(rate)} /s`, `${text}  goal < 3${added < 3 ? '' : '  MISSED'}`);
}
