import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { waitUntil } from '@causeway/test-kit';
import { bootEnvironment, DEFAULT_ENVIRONMENT_OPTIONS, makeTables, User } from '@causeway/testbed';
import { Client } from 'pg';
import { fillChains, PER_STEP } from './filled-chains.ts';

// Fills both chains with completed operations, and prints how long `relayer rebuild` takes into an empty database, its
// memory, and how soon a relayer and an API on the rebuilt database work. Run it after a build: node
// bench/rebuild.bench.ts [--operations 20000]. At 100,000 operations anvil takes 12 GB of memory.
const { values } = parseArgs({ options: { operations: { type: 'string', default: '20000' } } });
const operations = Math.ceil(Number(values.operations) / PER_STEP) * PER_STEP;
const SAMPLE_MS = 200;
const relayer = createRequire(import.meta.url).resolve('@causeway/relayer/main');
const print = (line: string) => process.stdout.write(`${line}\n`);
const secondsSince = (startedAtMs: number) => ((performance.now() - startedAtMs) / 1_000).toFixed(1);

const directory = mkdtempSync(join(tmpdir(), 'causeway-bench-'));
const environment = await bootEnvironment(
  {
    ...DEFAULT_ENVIRONMENT_OPTIONS,
    directory,
    holdSeconds: 2,
    ethereumConfirmations: 4,
    partnerConfirmations: 3,
    retireAfterSeconds: 86_400,
    portBase: 30_000 + 10 * Math.floor(Math.random() * 1_000),
  },
  (step) => process.stderr.write(`${step}\n`),
);
try {
  const filledAt = performance.now();
  await fillChains(environment, operations, (line) => process.stderr.write(`${line}\n`));
  const blocks = await Promise.all(
    [environment.ethereum, environment.partner].map(async ({ client }) => client.getBlockNumber({ cacheTime: 0 })),
  );
  print(`${operations} operations in ${blocks.join(' and ')} blocks, filled in ${secondsSince(filledAt)} s`);
  await environment.useDatabase(await makeDatabase());
  await measureRebuild();
  await measureStart();
} finally {
  await environment.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function makeDatabase(): Promise<string> {
  const url = new URL(environment.stack.databaseUrl);
  const client = new Client({ connectionString: url.href });
  await client.connect();
  await client.query('CREATE DATABASE rebuilt');
  await client.end();
  url.pathname = '/rebuilt';
  await makeTables(url.href);
  return url.href;
}

/** The most resident memory that a process has had; 0 when it has ended. */
function readPeakMb(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

async function measureRebuild(): Promise<void> {
  const startedAt = performance.now();
  const rebuild = spawn(process.execPath, [relayer, 'rebuild'], {
    env: { ...process.env, ...environment.relayerVariables() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [peakMb, output] = [0, ''];
  for (const stream of [rebuild.stdout, rebuild.stderr])
    stream.on('data', (text: Buffer) => {
      output += text.toString();
      process.stderr.write(
        `${secondsSince(startedAt)} s, ${readPeakMb(rebuild.pid ?? 0).toFixed(0)} MB: ${text.toString()}`,
      );
    });
  while (rebuild.exitCode === null && rebuild.signalCode === null) {
    peakMb = Math.max(peakMb, readPeakMb(rebuild.pid ?? 0));
    await sleep(SAMPLE_MS);
  }
  if (rebuild.exitCode !== 0 || output.includes('Warnings')) throw new Error(`The rebuild failed: ${output}`);
  print(`relayer rebuild: ${secondsSince(startedAt)} s, at most ${peakMb.toFixed(0)} MB`);
}

/** Prints when a relayer on the rebuilt database has delivered a due operation, and when the API answers. */
async function measureStart(): Promise<void> {
  const alice = new User(environment, environment.accounts.alice);
  const { originTxHash } = await alice.deposit('ETH', 10n ** 16n, environment.accounts.alice.address);
  await sleep(1_000 * (environment.options.ethereumConfirmations + 1));
  const startedAt = performance.now();
  await environment.restartRelayer();
  await waitUntil(
    'it is delivered',
    async () => ((await alice.status(originTxHash))?.destinationTxHash ?? null) !== null,
  );
  const started = environment.processes.list().find(({ name }) => name === 'relayer');
  print(
    `relayer start: first delivery after ${secondsSince(startedAt)} s, ${readPeakMb(started?.pid ?? 0).toFixed(0)} MB`,
  );
  const restartedAt = performance.now();
  await environment.restartApi();
  await waitUntil('the API is healthy', async () => (await fetch(environment.stack.healthUrl)).ok);
  const api = environment.processes.list().find(({ name }) => name === 'api');
  print(`API start: healthy after ${secondsSince(restartedAt)} s, ${readPeakMb(api?.pid ?? 0).toFixed(0)} MB`);
}
