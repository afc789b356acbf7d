import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isTerminal, parseAmount } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { openStore } from '@causeway/store';
import { isLong, temporaryDatabase, waitUntil } from '@causeway/test-kit';
import { connect, stackFileSchema, User, type StackFile } from '@causeway/testbed';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';

const CLI = fileURLToPath(new URL('../../tools/testbed/dist/cli/stack.js', import.meta.url));
const AMOUNT = parseAmount('USDC', '70');
/** Allows for a machine that is busy with other tests. */
const PATIENCE = { timeoutMs: 120_000 };
const NODE_PROCESSES = ['ethereum', 'partner', 'postgres', 'relayer-1', 'relayer-2', 'api'];
const OTHER_PROCESSES = ['anvil', 'PostgreSQL server'];
const WIDTH = 80;
/** Their tests start the stack again and again. */
const describeAtNight = isLong ? describe : describe.skip;
/** Short waits for the release of a withdrawal and for the confirmations of a deposit. */
const FLAGS = ['--hold-seconds', '2', '--eth-confirmations', '3'];

/** A stack started like a person does. */
interface RunningStack {
  readonly child: ChildProcess;
  /** Resolves with the exit code; null after a signal. */
  readonly exitCode: Promise<number | null>;
  /** All its output. */
  readonly output: () => string;
  /** Resolves when the stack is ready. */
  readonly ready: () => Promise<StackFile>;
  /** The process id of a part, by name in `processes.json`. */
  readonly getPid: (name: string) => number;
}

/** A directory for consecutive stacks. */
class StackDirectory {
  readonly path = mkdtempSync(join(tmpdir(), 'causeway-stack-'));
  private readonly running = new Set<ChildProcess>();

  /** Runs the command `stack` in this directory. */
  start(...flags: string[]): RunningStack {
    const child = spawn(process.execPath, [CLI, '--directory', this.path, ...FLAGS, ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
    });
    this.running.add(child);
    let output = '';
    const keep = (chunk: Buffer) => void (output += chunk.toString());
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const exitCode = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
    const file = join(this.path, 'stack.json');
    const isReady = () => existsSync(file) && readStackFile(file).pid === child.pid;
    return {
      child,
      exitCode,
      output: () => output,
      ready: async () => {
        const ended = exitCode.then((code) => {
          throw new Error(`The stack ended with code ${code}:\n${output}`);
        });
        await Promise.race([waitUntil('the stack is ready', isReady, PATIENCE), ended]);
        return readStackFile(file);
      },
      getPid: (name) => {
        const parts = JSON.parse(readFileSync(join(this.path, 'processes.json'), 'utf8')) as RecordedPart[];
        const part = parts.findLast((each) => each.name === name);
        if (part === undefined) throw new Error(`${name} does not run`);
        return part.pid;
      },
    };
  }

  /** Kills running processes and deletes the directory. */
  async remove(): Promise<void> {
    for (const child of this.running) child.kill('SIGKILL');
    await waitUntil('all parts have ended', () => this.parts().every(({ pid }) => !isAlive(pid)));
    rmSync(this.path, { recursive: true, force: true, maxRetries: 10 });
  }

  private parts(): RecordedPart[] {
    const file = join(this.path, 'processes.json');
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RecordedPart[]) : [];
  }
}

interface FaucetDescription {
  readonly chains: Readonly<Record<'ethereum' | 'partner', { readonly assets: readonly { readonly asset: string }[] }>>;
}

interface RecordedPart {
  readonly name: string;
  readonly pid: number;
}

/** Whether a process exists. A zombie does not count. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}

function readStackFile(file: string): StackFile {
  return stackFileSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
}

// The tests share one directory, and each run continues with the state of the last one.
const directory = new StackDirectory();
const inDirectory = (...path: string[]) => join(directory.path, ...path);
const ethereumFile = inDirectory('state', 'ethereum.json');
let stack: RunningStack;
let olderEthereum: Buffer;
afterAll(async () => directory.remove());

async function stop(running: RunningStack): Promise<void> {
  running.child.kill('SIGINT');
  expect(await running.exitCode).toBe(0);
}

/** Waits until the bridge has read blocks of Ethereum made since the call. */
async function bridgeHasReadOn(info: StackFile): Promise<void> {
  const head = await connect(info).ethereum.client.getBlockNumber({ cacheTime: 0 });
  const store = openStore({ databaseUrl: info.databaseUrl, onIdleError: () => undefined });
  const read = async () => (await store.scan.latestBlock(info.ethereum.chainId))?.number ?? 0n;
  await waitUntil('newer blocks are read', async () => (await read()) > head, PATIENCE);
  await store.close();
}

function getPids(running: RunningStack, names: readonly string[]): number[] {
  return names.map((name) => running.getPid(name));
}

/** Alice sends USDC to a new account. */
async function deposit(info: StackFile): Promise<{ recipient: Address; originTxHash: Hex }> {
  const recipient = privateKeyToAddress(generatePrivateKey());
  const { originTxHash } = await new User(connect(info), info.accounts.alice).deposit('USDC', AMOUNT, recipient);
  return { recipient, originTxHash };
}

async function expectDeliveredOnce(info: StackFile, sent: { recipient: Address; originTxHash: Hex }): Promise<void> {
  const connected = connect(info);
  const alice = new User(connected, info.accounts.alice);
  const ended = async () => isTerminal((await alice.status(sent.originTxHash))?.status ?? 'CONFIRMING');
  await waitUntil('the transfer has ended', ended, PATIENCE);
  expect(await alice.status(sent.originTxHash)).toMatchObject({ status: 'COMPLETED' });
  const { book, partner } = connected;
  const mints = await partner.client.getContractEvents({
    address: book.partner.bridgeMint,
    abi: bridgeMintAbi,
    eventName: 'Mint',
    args: { recipient: sent.recipient },
    fromBlock: 0n,
  });
  expect(mints).toHaveLength(1);
  const balance = await partner.client.readContract({
    address: book.partner.tokens.USDC,
    abi: bridgedTokenAbi,
    functionName: 'balanceOf',
    args: [sent.recipient],
  });
  expect(balance).toBe(AMOUNT);
}

describe('the command line of the stack', () => {
  it('explains its options, and names a wrong option in one line', async () => {
    const help = directory.start('--help');
    expect(await help.exitCode).toBe(0);
    const options = [
      'hold-seconds',
      'eth-block-seconds',
      'partner-block-seconds',
      'port-base',
      'database-url',
      'eth-confirmations',
      'partner-confirmations',
      'fresh',
      'faucet',
      'json',
    ];
    for (const option of options) expect(help.output()).toContain(`--${option}`);
    const wrongPort = directory.start('--port-base', 'abc');
    expect(await wrongPort.exitCode).toBe(1);
    expect(wrongPort.output()).toMatch(/^error: .*Expected a port from 1 to 65000\.\n$/);
    const wrongUrl = directory.start('--database-url', 'hello');
    expect(await wrongUrl.exitCode).toBe(1);
    expect(wrongUrl.output()).toMatch(/^error: .*Expected a URL like postgresql:\/\/.*\n$/);
  });
});

describe('a new stack', () => {
  it('prints a summary in 80 columns, writes stack.json, and refuses a second stack in its directory', async () => {
    stack = directory.start('--faucet');
    const info = await stack.ready();
    expect((await fetch(info.healthUrl)).status).toBe(200);
    await waitUntil('the summary is printed', () => stack.output().includes('Ctrl-C'));
    expect(stack.output()).toContain(info.addressBook.ethereum.bridgeLock);
    expect(stack.output()).toContain(`${info.apiUrl}/reference`);
    expect(stack.output()).toContain(`Faucet     ${info.faucetUrl}`);
    const summary = stack.output().slice(stack.output().indexOf('The bridge is running.'));
    for (const line of summary.split('\n')) {
      // A path can be longer than a line.
      if (!line.includes(directory.path)) expect(line.length).toBeLessThanOrEqual(WIDTH);
    }
    expect(stack.output()).not.toContain('Warning');
    const second = directory.start();
    expect(await second.exitCode).toBe(1);
    expect(second.output()).toContain(`(process ${stack.child.pid}). Stop it`);
  });
});

describe('the faucet of a stack', () => {
  it('pays coins and tokens of both chains to a new account, which can then use the bridge', async () => {
    const info = await stack.ready();
    const privateKey = generatePrivateKey();
    const address = privateKeyToAddress(privateKey);
    const { chains } = (await (await fetch(info.faucetUrl!)).json()) as FaucetDescription;
    const assets = (['ethereum', 'partner'] as const).flatMap((chain) =>
      chains[chain].assets.map(({ asset }) => ({ chain, asset })),
    );
    expect(assets.map(({ chain, asset }) => `${chain} ${asset}`)).toEqual([
      'ethereum ETH',
      'ethereum USDC',
      'ethereum XCN',
      'partner XCN',
    ]);
    const statuses = await Promise.all(
      assets.map(async (asset) => {
        const body = JSON.stringify({ ...asset, address });
        const headers = { 'content-type': 'application/json' };
        return (await fetch(`${info.faucetUrl}/drip`, { method: 'POST', headers, body })).status;
      }),
    );
    expect(statuses).toEqual([200, 200, 200, 200]);
    const user = new User(connect(info), { address, privateKey });
    await user.deposit('USDC', AMOUNT, address);
    await user.withdrawNative(parseAmount('XCN', '6000'), address, parseAmount('XCN', '1000'));
  });
});

describe('a stack whose active relayer is killed', () => {
  it('continues with the other relayer, which delivers, and restarts the killed one', async () => {
    const info = await stack.ready();
    const store = openStore({ databaseUrl: info.databaseUrl, onIdleError: () => undefined });
    const readHolderName = async () => (await store.overview.lease('relayer')).holder?.split(':')[0] ?? '';
    const killed = info.relayers.find(({ name }) => stack.output().includes(`${name} (process`));
    expect(killed?.name).toBe(await readHolderName());
    const passive = info.relayers.find((relayer) => relayer !== killed);
    expect(stack.output()).toContain(`kill -9 ${killed!.pid}`);

    process.kill(killed!.pid, 'SIGKILL');
    await waitUntil(
      'the passive relayer holds the lease',
      async () => (await readHolderName()) === passive!.name,
      PATIENCE,
    );
    await store.close();
    await expectDeliveredOnce(info, await deposit(info));
    expect(stack.output()).toContain(`${killed!.name} ended with SIGKILL`);
    expect(stack.output()).toContain(`${passive!.name} (process ${passive!.pid}) is active`);
    const readRestarted = () =>
      readStackFile(inDirectory('stack.json')).relayers.find((each) => each.name === killed!.name)!;
    await waitUntil('the killed one runs again', () => readRestarted().pid !== killed!.pid, PATIENCE);
    expect(isAlive(readRestarted().pid)).toBe(true);
  });
});

describe('a stack that is killed in the middle of a transfer', () => {
  it('continues with the same chains and database, and delivers once', async () => {
    const before = await stack.ready();
    const sent = await deposit(before);
    stack.child.kill('SIGKILL');
    await stack.exitCode;

    stack = directory.start();
    const after = await stack.ready();
    expect(stack.output()).toContain('where the last run stopped');
    expect(after.addressBook).toEqual(before.addressBook);
    await expectDeliveredOnce(after, sent);
    const completed = /\n\d\d:\d\d:\d\d[+-]\d\d:\d\d 0x[0-9a-f]{8} +70 USDC in {2}COMPLETED\n/;
    await waitUntil('the completion is printed', () => completed.test(stack.output()));
    expect(existsSync(inDirectory('logs.1', 'relayer-1.log'))).toBe(true);
  });
});

describeAtNight('a stack whose processes are killed', () => {
  it('continues after all its Node processes were killed, and stops the orphaned chain and database', async () => {
    const sent = await deposit(await stack.ready());
    const orphans = getPids(stack, OTHER_PROCESSES);
    const others = getPids(stack, NODE_PROCESSES);
    // Suspend all first: the wrapper would shut PostgreSQL down cleanly when the stack ends.
    for (const signal of ['SIGSTOP', 'SIGKILL'])
      for (const pid of [stack.child.pid!, ...others]) process.kill(pid, signal);
    await stack.exitCode;
    expect(orphans.filter(isAlive)).toEqual(orphans);

    stack = directory.start();
    const after = await stack.ready();
    for (const pid of orphans) expect(stack.output()).toContain(`(process ${pid})`);
    expect(orphans.filter(isAlive)).toEqual([]);
    await expectDeliveredOnce(after, sent);
  });

  it('continues after the end of its database server, which it reports', async () => {
    const pids = getPids(stack, [...NODE_PROCESSES, 'anvil']);
    process.kill(stack.getPid('PostgreSQL server'), 'SIGKILL');
    expect(await stack.exitCode).toBe(1);
    expect(stack.output()).toMatch(/postgres ended .*the PostgreSQL server ended/);
    expect(pids.filter(isAlive)).toEqual([]);

    stack = directory.start();
    await stack.ready();
    expect(stack.output()).toContain('where the last run stopped');
  });
});

describe('a stack that is stopped', () => {
  it('leaves no process running at Ctrl-C', async () => {
    const pids = getPids(stack, [...NODE_PROCESSES, ...OTHER_PROCESSES]);
    await stop(stack);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(existsSync(inDirectory('stack.json'))).toBe(false);
    olderEthereum = readFileSync(ethereumFile);
  });

  it('by a closed terminal shuts down cleanly', async () => {
    stack = directory.start();
    await bridgeHasReadOn(await stack.ready());
    stack.child.kill('SIGHUP');
    expect(await stack.exitCode).toBe(0);
    expect(existsSync(inDirectory('processes.json'))).toBe(false);
  });
});

describe('a stack whose Ethereum lacks blocks that the bridge has read', () => {
  it('names them and stops; --fresh moves the old state aside and uses the given database', async () => {
    // As after a power failure.
    writeFileSync(ethereumFile, olderEthereum);
    const second = directory.start();
    expect(await second.exitCode).toBe(1);
    expect(second.output()).toMatch(/Ethereum is at block \d+, but the bridge has read up to block \d+; .* missing/);
    expect(second.output()).toContain('--fresh');
    expect(existsSync(inDirectory('state', 'postgres', 'PG_VERSION'))).toBe(true);

    const database = await temporaryDatabase();
    const third = directory.start('--fresh', '--database-url', database.url);
    expect((await third.ready()).databaseUrl).toBe(database.url);
    const [aside = '', ...others] = readdirSync(directory.path).filter((name) => name.startsWith('state-'));
    expect(others).toEqual([]);
    expect(third.output()).toContain(inDirectory(aside));
    expect(existsSync(inDirectory(aside, 'postgres', 'PG_VERSION'))).toBe(true);
    expect(existsSync(inDirectory('state', 'postgres'))).toBe(false);
    const store = openStore({ databaseUrl: database.url, onIdleError: () => undefined });
    await waitUntil('a chain was read', async () => (await store.scan.cursor(31_337)) !== null, PATIENCE);
    await store.close();
    await stop(third);

    const fourth = directory.start('--fresh', '--database-url', database.url);
    expect(await fourth.exitCode).toBe(1);
    expect(fourth.output()).toContain('belongs to an earlier run');
    await database.stop();
  });
});
