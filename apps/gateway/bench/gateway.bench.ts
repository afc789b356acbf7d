import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startAnvil, startGateway } from '@causeway/test-kit';
import { HostileClient } from './hostile.ts';
import { LoadGenerator } from './load.ts';
import { compare, compareRounds, selectHalfOfCores, median, report, type Rounds } from './measure.ts';
import { CHAIN_ID, deployToken, readBodies, signTransfers, timeTransfers } from './traffic.ts';

// Measures the cost of the gateway and the speed of the embedded chain, as ratios against a baseline in alternating
// rounds. Rounds are short and many, because a node, a gateway and the load share two cores differently in each. Run it
// after a build: node bench/gateway.bench.ts [upstream|latency|embedded|hostile] [--rounds 15] [--round-ms 1500]
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '15' }, 'round-ms': { type: 'string', default: '1500' } },
});
const measured: Rounds = { rounds: Number(values.rounds), roundMs: Number(values['round-ms']) };
const isWanted = (part: string) => positionals.length === 0 || positionals.includes(part);

const CONNECTIONS = 50;
const BATCH_CONNECTIONS = 10;
const SINGLE_GOAL = 0.55;
const BATCH_GOAL = 0.5;
/** Far below the gateway's capacity. */
const READS_PER_SECOND = 100;
const TRANSFERS_PER_ACCOUNT = 200;
/** After about ten rounds of transfers anvil becomes slower, which would favour the gateway. */
const MAX_TRANSFER_ROUNDS = 5;

report.machine();
if (isWanted('upstream')) {
  const half = selectHalfOfCores();
  if (half !== undefined) await benchUpstream(measured, half);
  await benchUpstream(measured);
}
if (isWanted('latency')) await benchLatency(measured);
if (isWanted('embedded')) await benchEmbedded(measured);
if (isWanted('hostile')) await benchHostile(measured);

/**
 * Compares a node behind the gateway with the same node called directly.
 *
 * @param cores the node's cores. Default: all.
 */
async function benchUpstream(rounds: Rounds, cores?: string): Promise<void> {
  await withNode(cores, async (load, direct, through) => {
    report.title(
      `Gateway before a node / the node itself, the node ${cores === undefined ? 'on any core' : `on core ${cores}`}`,
    );
    const bodies = readBodies(await deployToken(direct));
    const endpoints = { baseline: direct, measured: through };
    const row = async (name: string, list: readonly string[], connections: number, goal: number) =>
      report.ratio(name, await compare(load, endpoints, list, connections, rounds), goal);
    await row('eth_blockNumber', bodies.blockNumber, CONNECTIONS, SINGLE_GOAL);
    await row('eth_call', bodies.call, CONNECTIONS, SINGLE_GOAL);
    await row('batch of 100 eth_call', bodies.batchOfCalls, BATCH_CONNECTIONS, BATCH_GOAL);
    await row('batch of 100, mixed', bodies.mixedBatch, BATCH_CONNECTIONS, BATCH_GOAL);
  });
}

/** Measures the 99th percentile of latency at half the rate that saturates the gateway, directly and through it. */
async function benchLatency({ rounds, roundMs: durationMs }: Rounds): Promise<void> {
  await withNode(undefined, async (load, direct, through) => {
    report.title('Latency of a node, directly and through the gateway');
    const { blockNumber: bodies } = readBodies(await deployToken(direct));
    const run = (url: string, rate: number | null) =>
      load.run({ url, bodies, connections: CONNECTIONS, durationMs, rate });
    await run(through, null);
    const rate = (await run(through, null)).perSecond / 2;
    const times: Record<'direct' | 'through', number[]> = { direct: [], through: [] };
    for (let round = 0; round < rounds; round++) {
      times.direct.push((await run(direct, rate)).p99Ms);
      times.through.push((await run(through, rate)).p99Ms);
    }
    const shown = `${median(times.direct).toFixed(2)} → ${median(times.through).toFixed(2)} ms`;
    report.line(`p99 at ${Math.round(rate)} /s`, shown);
  });
}

/**
 * Measures the 99th percentile of read latency of an embedded chain, alone and next to a client that sends expensive
 * requests.
 */
async function benchHostile({ rounds, roundMs: durationMs }: Rounds): Promise<void> {
  const load = new LoadGenerator();
  const directory = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
  const env = { BACKEND: 'embedded', DATA_DIRECTORY: directory, CHAIN_ID: String(CHAIN_ID), BLOCK_INTERVAL_MS: '0' };
  const gateway = await startGateway(env);
  try {
    report.title('Reads of the embedded chain, alone and next to continuous simulations and proofs');
    const { call, blockNumber } = readBodies(await deployToken(gateway.httpUrl));
    for (const [name, bodies] of [
      ['eth_blockNumber', blockNumber],
      ['eth_call', call],
    ] as const) {
      const run = () => load.run({ url: gateway.httpUrl, bodies, connections: 10, durationMs, rate: READS_PER_SECOND });
      await run();
      const times: Record<'alone' | 'beside', number[]> = { alone: [], beside: [] };
      for (let round = 0; round < rounds; round++) {
        times.alone.push((await run()).p99Ms);
        const hostile = new HostileClient(gateway.httpUrl);
        times.beside.push((await run()).p99Ms);
        await hostile.stop();
      }
      const [alone, beside] = [median(times.alone), median(times.beside)];
      report.line(
        `${name}, p99`,
        `${alone.toFixed(2)} → ${beside.toFixed(2)} ms   ${(beside / alone).toFixed(1)} times`,
      );
    }
  } finally {
    load.stop();
    await gateway.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Compares the embedded chain through the gateway with anvil. Both make a block for every transaction. */
async function benchEmbedded(rounds: Rounds): Promise<void> {
  const load = new LoadGenerator();
  const directory = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
  const anvil = await startAnvil({ chainId: CHAIN_ID });
  const env = { BACKEND: 'embedded', DATA_DIRECTORY: directory, CHAIN_ID: String(CHAIN_ID), BLOCK_INTERVAL_MS: '0' };
  const gateway = await startGateway(env);
  try {
    report.title('Embedded chain through the gateway / anvil');
    await benchTransfers(anvil.url, gateway.httpUrl, Math.min(rounds.rounds, MAX_TRANSFER_ROUNDS));
    const token = await deployToken(anvil.url);
    if (token !== (await deployToken(gateway.httpUrl))) throw new Error('the chains differ');
    const endpoints = { baseline: anvil.url, measured: gateway.httpUrl };
    report.ratio('eth_call', await compare(load, endpoints, readBodies(token).call, CONNECTIONS, rounds), null);
  } finally {
    load.stop();
    await gateway.stop();
    await anvil.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function benchTransfers(direct: string, through: string, rounds: number): Promise<void> {
  const before: number[] = [];
  const after: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const first = round * TRANSFERS_PER_ACCOUNT;
    const last = first + TRANSFERS_PER_ACCOUNT;
    const signed = await signTransfers(first, TRANSFERS_PER_ACCOUNT);
    const perSecond = [await timeTransfers(direct, signed, last), await timeTransfers(through, signed, last)] as const;
    // The first round is a warm-up.
    if (round === 0) continue;
    before.push(perSecond[0]);
    after.push(perSecond[1]);
  }
  report.ratio('transfers', compareRounds(before, after), 0.5);
}

async function withNode(
  cores: string | undefined,
  run: (load: LoadGenerator, direct: string, through: string) => Promise<void>,
): Promise<void> {
  const load = new LoadGenerator();
  const anvil = await startAnvil({ chainId: CHAIN_ID, cores });
  const gateway = await startGateway({ BACKEND: 'upstream', UPSTREAM_URLS: anvil.url, CHAIN_ID: String(CHAIN_ID) });
  try {
    await run(load, anvil.url, gateway.httpUrl);
  } finally {
    load.stop();
    await gateway.stop();
    await anvil.stop();
  }
}
