import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { bootEnvironment, DEFAULT_ENVIRONMENT_OPTIONS, type Environment } from '@causeway/testbed';
import { startRpcProxy, type RpcProxy } from '@causeway/test-kit';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { findPercentile, measureLatencies, mintTimes, sendPaced, signDeposits, watchHeads } from './deposits.ts';

// The whole pipeline on both chains and a real PostgreSQL: deposits on Ethereum until their Mint events. Prints the
// operations delivered a second, compared with a bare pipelined sender on the same partner chain, the relayer's CPU
// time per operation, and the time from the final block to the broadcast. Run it after a build: node
// bench/pipeline.bench.ts [--operations 1000] [--per-block 100]
const { values } = parseArgs({
  options: { operations: { type: 'string', default: '1000' }, 'per-block': { type: 'string', default: '100' } },
});
const OPERATIONS = Number(values.operations);
const PER_BLOCK = Number(values['per-block']);
/** Number of operations in measurements with one a block. */
const SINGLE = 30;
const CONFIRMATIONS = 2;
/** Clock ticks a second of /proc/<pid>/stat: USER_HZ of Linux. */
const TICKS_PER_SECOND = 100;
const IDLE_SECONDS = 10;
/** Delay of each node in the last measurement. */
const DELAY_MS = 50;

const directory = mkdtempSync(join(tmpdir(), 'causeway-bench-'));
const environment = await bootEnvironment(
  {
    ...DEFAULT_ENVIRONMENT_OPTIONS,
    directory,
    ethereumConfirmations: CONFIRMATIONS,
    partnerConfirmations: CONFIRMATIONS,
    retireAfterSeconds: 86_400,
    portBase: 30_000 + 10 * Math.floor(Math.random() * 1_000),
  },
  (step) => process.stderr.write(`${step}\n`),
);
const heads = watchHeads(environment);
const proxies: RpcProxy[] = [];
try {
  const bare = await bareSender(environment, 300);
  await sleep(5_000);
  const idle = await cpuWhile(() => sleep(IDLE_SECONDS * 1_000));
  const idleMs = idle / IDLE_SECONDS;
  process.stdout.write(`idle, one block a second on each chain: ${idleMs.toFixed(0)} ms of CPU a second\n`);
  await measure('one operation a block', environment, SINGLE, 1, idleMs);
  const whole = await measure(`${PER_BLOCK} operations a block`, environment, OPERATIONS, PER_BLOCK, idleMs);
  process.stdout.write(`bare pipelined sender on the partner chain: ${bare.toFixed(1)} transactions a second\n`);
  process.stdout.write(`pipeline / bare sender: ratio ${(whole / bare).toFixed(2)}\n`);
  await restartWithThreeNodes(environment, 0);
  await measure('three nodes, one operation a block', environment, SINGLE, 1, 0);
  await restartWithThreeNodes(environment, DELAY_MS);
  await measure(`three nodes that take ${DELAY_MS} ms, one operation a block`, environment, SINGLE, 1, 0);
} finally {
  await heads.end();
  await environment.stop();
  await Promise.all(proxies.map((proxy) => proxy.close()));
  rmSync(directory, { recursive: true, force: true });
}

/** Gives the relayer three URLs of each node, of which two must agree, and the node's WebSocket. */
async function restartWithThreeNodes({ stack, restartRelayer }: Environment, delayMs: number): Promise<void> {
  const addresses = async (url: string) => {
    const three = await Promise.all(
      [1, 2, 3].map(() => startRpcProxy(url, { beforeNode: () => sleep(delayMs, true) })),
    );
    proxies.push(...three);
    return [...three.map((proxy) => proxy.url), url.replace(/^http/, 'ws')].join(',');
  };
  await restartRelayer({
    ETHEREUM_RPC_URLS: await addresses(stack.ethereum.rpcUrl),
    PARTNER_RPC_URLS: await addresses(stack.partner.rpcUrl),
  });
  await sleep(5_000);
}

/**
 * Deposits with a fixed number a block of one second, until all are minted.
 *
 * @param idleMs CPU milliseconds a second of an idle relayer, to subtract.
 * @returns operations a second, from the first Mint event to the last.
 */
async function measure(
  title: string,
  world: Environment,
  count: number,
  perBlock: number,
  idleMs: number,
): Promise<number> {
  const raws = await signDeposits(world, count);
  const startedAt = Date.now();
  let times: number[] = [];
  let hashes: Hex[] = [];
  const cpu = await cpuWhile(async () => {
    const minted = mintTimes(world, count);
    hashes = await sendPaced(world, raws, perBlock);
    times = await minted;
  });
  const elapsed = (Date.now() - startedAt) / 1_000;
  const rate = (count - 1) / Math.max(0.001, (Math.max(...times) - Math.min(...times)) / 1_000);
  const latencies = await measureLatencies(world, hashes, heads.seenAt, CONFIRMATIONS);
  process.stdout.write(
    `${title}: ${count} operations, ${rate.toFixed(1)} a second; ${(cpu / count).toFixed(1)} ms of CPU an operation, ` +
      `${((cpu - idleMs * elapsed) / count).toFixed(1)} above idle; from the final block to the broadcast ` +
      `p50 ${findPercentile(latencies, 0.5)} ms, p99 ${findPercentile(latencies, 0.99)} ms\n`,
  );
  return rate;
}

/** Returns the CPU milliseconds of the relayer's process during some work. */
async function cpuWhile(work: () => Promise<unknown>): Promise<number> {
  const before = cpuSeconds();
  await work();
  return (cpuSeconds() - before) * 1_000;
}

/** Sends from one account with local nonces, without waiting, until all transactions have receipts. */
async function bareSender(world: Environment, count: number): Promise<number> {
  const { client } = world.partner;
  const account = privateKeyToAccount(world.accounts.bob.privateKey);
  const nonce = await client.getTransactionCount({ address: account.address });
  const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas();
  const chainId = await client.getChainId();
  const startedAt = performance.now();
  const hashes = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const fees = { maxFeePerGas: maxFeePerGas * 2n, maxPriorityFeePerGas, gas: 21_000n };
      const serializedTransaction = await account.signTransaction({
        ...fees,
        chainId,
        nonce: nonce + index,
        to: world.accounts.alice.address,
        value: 10n ** 10n,
        type: 'eip1559',
      });
      return client.sendRawTransaction({ serializedTransaction });
    }),
  );
  for (const hash of hashes) await client.waitForTransactionReceipt({ hash });
  return count / ((performance.now() - startedAt) / 1_000);
}

/** CPU of the relayer's process so far, user and system. */
function cpuSeconds(): number {
  const parts = JSON.parse(readFileSync(join(directory, 'processes.json'), 'utf8')) as { name: string; pid: number }[];
  const relayer = parts.findLast(({ name }) => name === 'relayer');
  if (relayer === undefined) throw new Error('The relayer is not running');
  // The second field is the name in parentheses; user and system time are the 14th and 15th.
  const fields = readFileSync(`/proc/${relayer.pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
