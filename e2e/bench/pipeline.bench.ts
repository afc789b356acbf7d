import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bootEnvironment, DEFAULT_ENVIRONMENT_OPTIONS, type Environment } from '@causeway/testbed';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { encodeFunctionData, pad, parseEventLogs, toHex, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

// The whole pipeline on both chains and a real PostgreSQL: deposits on Ethereum until their Mint events. Prints how
// many operations a second it delivers, beside what a bare pipelined sender puts on the same partner chain, and the
// CPU of the relayer's process per operation. Run it after a build:
// node bench/pipeline.bench.ts [--operations 600] [--per-block 20]
const { values } = parseArgs({
  options: { operations: { type: 'string', default: '600' }, 'per-block': { type: 'string', default: '20' } },
});
const OPERATIONS = Number(values.operations);
const PER_BLOCK = Number(values['per-block']);
/** Clock ticks a second of /proc/<pid>/stat: USER_HZ of Linux. */
const TICKS_PER_SECOND = 100;
const TIMEOUT_MS = 300_000;

const directory = mkdtempSync(join(tmpdir(), 'causeway-bench-'));
chmodSync(directory, 0o755);
const environment = await bootEnvironment(
  {
    ...DEFAULT_ENVIRONMENT_OPTIONS,
    directory,
    ethereumConfirmations: 2,
    partnerConfirmations: 2,
    retireAfterSeconds: 86_400,
    portBase: 30_000 + 10 * Math.floor(Math.random() * 1_000),
  },
  (step) => process.stderr.write(`${step}\n`),
);
try {
  const bare = await bareSender(environment, Math.min(OPERATIONS, 300));
  await measure('one operation a block', environment, 30, 1);
  const whole = await measure(`${PER_BLOCK} operations a block`, environment, OPERATIONS, PER_BLOCK);
  process.stdout.write(`Bare pipelined sender on the partner chain: ${bare.toFixed(1)} transactions a second\n`);
  process.stdout.write(`Pipeline / bare sender: ratio ${(whole / bare).toFixed(2)}\n`);
} finally {
  await environment.stop();
  rmSync(directory, { recursive: true, force: true });
}

/**
 * Deposits with a fixed number a block of one second, until all are minted.
 *
 * @returns operations a second, from the first Mint event to the last.
 */
async function measure(title: string, world: Environment, count: number, perBlock: number): Promise<number> {
  const { ethereum, partner, book } = world;
  const from = await partner.client.getBlockNumber();
  const cpuBefore = cpuSeconds();
  const startedAt = performance.now();
  const raws = await signDeposits(world, count);
  for (let sent = 0; sent < count; sent += perBlock) {
    for (const raw of raws.slice(sent, sent + perBlock))
      await ethereum.client.sendRawTransaction({ serializedTransaction: raw });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  const times: number[] = [];
  let next = from + 1n;
  while (times.length < count) {
    if (performance.now() - startedAt > TIMEOUT_MS) throw new Error(`Only ${times.length} of ${count} were minted`);
    const head = await partner.client.getBlockNumber();
    if (head >= next) {
      const logs = await partner.client.getLogs({ address: book.partner.bridgeMint, fromBlock: next, toBlock: head });
      const minted = parseEventLogs({ abi: bridgeMintAbi, logs, eventName: 'Mint' });
      for (const _ of minted) times.push(performance.now());
      next = head + 1n;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const seconds = Math.max(1, (Math.max(...times) - Math.min(...times)) / 1_000);
  const cpu = ((cpuSeconds() - cpuBefore) * 1_000) / count;
  process.stdout.write(
    `${title}: ${count} operations, ${(count / seconds).toFixed(1)} a second, ` +
      `${cpu.toFixed(1)} ms of CPU of the relayer an operation\n`,
  );
  return count / seconds;
}

/** What one account signs with local nonces and sends without waiting. Ends when all have receipts. */
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

async function signDeposits({ ethereum, accounts, book }: Environment, count: number): Promise<Hex[]> {
  const account = privateKeyToAccount(accounts.alice.privateKey);
  const { client } = ethereum;
  const nonce = await client.getTransactionCount({ address: account.address });
  const chainId = await client.getChainId();
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      account.signTransaction({
        type: 'eip1559',
        chainId,
        nonce: nonce + index,
        to: book.ethereum.bridgeLock,
        data: encodeFunctionData({
          abi: bridgeLockAbi,
          functionName: 'depositNative',
          args: [pad(toHex(0xb000_0000 + nonce + index), { size: 20 })],
        }),
        value: 10n ** 12n,
        gas: 100_000n,
        maxFeePerGas: 10n ** 11n,
        maxPriorityFeePerGas: 10n ** 9n,
      }),
    ),
  );
}

/** CPU of the relayer's process so far, user and system. */
function cpuSeconds(): number {
  const parts = JSON.parse(readFileSync(join(directory, 'processes.json'), 'utf8')) as { name: string; pid: number }[];
  const relayer = parts.findLast(({ name }) => name === 'relayer');
  if (relayer === undefined) throw new Error('The relayer does not run');
  // The second field is the name in parentheses; user and system time are the 14th and 15th.
  const fields = readFileSync(`/proc/${relayer.pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
