import { forkGateway } from '../test/processes/fork-gateway.ts';
import { compare, type Rounds } from './compare.ts';
import { deployToken } from './deploy-token.ts';
import { LoadGenerator } from './load-generator.ts';
import { readBodies } from './read-bodies.ts';
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
    };
    await row('eth_blockNumber', bodies.blockNumber, CONNECTIONS, 0.6);
    await row('eth_call', bodies.call, CONNECTIONS, 0.6);
    await row('batch of 100 eth_call', bodies.batchOfCalls, BATCH_CONNECTIONS, 0.8);
    await row('batch of 100, mixed', bodies.mixedBatch, BATCH_CONNECTIONS, 0.8);
  } finally {
    load.stop();
    await gateway.stop();
    await anvil.stop();
  }
}
