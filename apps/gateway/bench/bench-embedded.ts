import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forkGateway } from '../test/processes/fork-gateway.ts';
import { compare, type Rounds } from './compare.ts';
import { deployToken } from './deploy-token.ts';
import { LoadGenerator } from './load-generator.ts';
import { median } from './median.ts';
import { readBodies } from './read-bodies.ts';
import { report } from './report.ts';
import { signTransfers } from './sign-transfers.ts';
import { startAnvil } from './start-anvil.ts';
import { timeTransfers } from './time-transfers.ts';

const CHAIN_ID = 8901;
const CONNECTIONS = 50;
const TRANSFERS_OF_ACCOUNT = 200;
/** After some ten rounds of transfers anvil takes longer and longer for them, which would flatter the gateway. */
const MOST_TRANSFER_ROUNDS = 5;

/** What the embedded chain can do, through the gateway; anvil, which keeps everything in memory, is the baseline. Both make blocks on demand. */
export async function benchEmbedded(rounds: Rounds): Promise<void> {
  const load = new LoadGenerator();
  const directory = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
  const anvil = await startAnvil(['--chain-id', String(CHAIN_ID)]);
  const gateway = await forkGateway({
    BACKEND: 'embedded',
    DATA_DIRECTORY: directory,
    CHAIN_ID: String(CHAIN_ID),
    BLOCK_INTERVAL_MS: '0',
  });
  try {
    report.title('Embedded chain through the gateway / anvil');
    const endpoints = { baseline: anvil.url, measured: gateway.httpUrl };
    await transfers(endpoints.baseline, endpoints.measured, Math.min(rounds.rounds, MOST_TRANSFER_ROUNDS));
    const token = await deployToken(anvil.url, CHAIN_ID);
    if (token !== (await deployToken(gateway.httpUrl, CHAIN_ID))) throw new Error('the chains differ');
    const { baseline, measured, ratio } = await compare(load, endpoints, readBodies(token).call, CONNECTIONS, rounds);
    report.ratio('eth_call', baseline, measured, ratio, null);
  } finally {
    load.stop();
    await gateway.stop();
    await anvil.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function transfers(baseline: string, measured: string, rounds: number): Promise<void> {
  const before: number[] = [];
  const after: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const first = round * TRANSFERS_OF_ACCOUNT;
    const last = first + TRANSFERS_OF_ACCOUNT;
    const signed = await signTransfers(CHAIN_ID, first, TRANSFERS_OF_ACCOUNT);
    const direct = await timeTransfers(baseline, signed, last);
    const through = await timeTransfers(measured, signed, last);
    // The first round warms both up.
    if (round === 0) continue;
    before.push(direct);
    after.push(through);
  }
  const ratio = median(after.map((value, round) => value / (before[round] ?? Number.NaN)));
  report.ratio('transfers', median(before), median(after), ratio, 0.5);
}
