import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isTerminal, parseAmount } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { openStore } from '@causeway/store';
import { temporaryDatabase, waitUntil } from '@causeway/test-kit';
import { connect, User, type StackFile } from '@causeway/testbed';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { isAlive, StackDirectory, type RunningStack } from './running-stack.js';

const AMOUNT = parseAmount('USDC', '70');
const PATIENCE = { timeoutMs: 120_000 };
const NODE_PROCESSES = ['ethereum', 'partner', 'postgres', 'relayer', 'api'];
const OTHER_PROCESSES = ['anvil', 'PostgreSQL server'];
const WIDTH = 80;

// One directory for all tests: each run continues with the state of the run before.
const directory = new StackDirectory();
const inDirectory = (...path: string[]) => join(directory.path, ...path);
afterAll(async () => directory.remove());

async function stop(stack: RunningStack): Promise<void> {
  stack.child.kill('SIGINT');
  expect(await stack.exitCode).toBe(0);
}

function pidsOf(stack: RunningStack, names: readonly string[]): number[] {
  return names.map((name) => stack.pidOf(name));
}

/** Alice sends USDC to a new account. */
async function deposit(stack: StackFile): Promise<{ recipient: Address; originTxHash: Hex }> {
  const recipient = privateKeyToAddress(generatePrivateKey());
  const { originTxHash } = await new User(connect(stack), stack.accounts.alice).deposit('USDC', AMOUNT, recipient);
  return { recipient, originTxHash };
}

async function expectDeliveredOnce(stack: StackFile, sent: { recipient: Address; originTxHash: Hex }): Promise<void> {
  const connected = connect(stack);
  const alice = new User(connected, stack.accounts.alice);
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
  it('explains its options, and names a wrong one in one line', async () => {
    const help = directory.start('--help');
    expect(await help.exitCode).toBe(0);
    const options = [
      'hold-seconds',
      'eth-block-seconds',
      'partner-block-seconds',
      'port-base',
      'database-url',
      'fresh',
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
  it('prints a summary, writes stack.json, refuses a second one, and leaves nothing running at Ctrl-C', async () => {
    const stack = directory.start();
    const info = await stack.ready();
    expect((await fetch(info.healthUrl)).status).toBe(200);
    await waitUntil('the summary is printed', () => stack.output().includes('Ctrl-C'));
    expect(stack.output()).toContain(info.addressBook.ethereum.bridgeLock);
    const steps = stack.output().indexOf('The bridge runs.');
    for (const line of stack.output().slice(steps).split('\n')) {
      // A path may be longer than a line.
      if (!line.includes(directory.path)) expect(line.length).toBeLessThanOrEqual(WIDTH);
    }
    expect(stack.output()).not.toContain('Warning');
    const second = directory.start();
    expect(await second.exitCode).toBe(1);
    expect(second.output()).toContain(`already (process ${stack.child.pid})`);
    const pids = pidsOf(stack, [...NODE_PROCESSES, ...OTHER_PROCESSES]);
    await stop(stack);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(existsSync(inDirectory('stack.json'))).toBe(false);
  });
});

describe('a stack that is killed in the middle of a transfer', () => {
  it('continues with the same chains and database, and delivers once', async () => {
    const first = directory.start();
    const before = await first.ready();
    const sent = await deposit(before);
    first.child.kill('SIGKILL');
    await first.exitCode;

    const second = directory.start();
    const after = await second.ready();
    expect(second.output()).toContain('where the last run stopped');
    expect(after.addressBook).toEqual(before.addressBook);
    await expectDeliveredOnce(after, sent);
    const completed = /\n\d\d:\d\d:\d\d {2}0x[0-9a-f]{8} +70 USDC {2}in {3}COMPLETED\n/;
    await waitUntil('the completion is printed', () => completed.test(second.output()));
    expect(existsSync(inDirectory('logs.1', 'relayer.log'))).toBe(true);
    await stop(second);
  });

  it('continues also when all its Node processes were killed, and ends the chain and database that are left', async () => {
    const first = directory.start();
    const sent = await deposit(await first.ready());
    const orphans = pidsOf(first, OTHER_PROCESSES);
    const others = pidsOf(first, NODE_PROCESSES);
    first.child.kill('SIGKILL');
    for (const pid of others) process.kill(pid, 'SIGKILL');
    await first.exitCode;
    expect(orphans.filter(isAlive)).toEqual(orphans);

    const second = directory.start();
    const after = await second.ready();
    for (const pid of orphans) expect(second.output()).toContain(`(process ${pid})`);
    expect(orphans.filter(isAlive)).toEqual([]);
    await expectDeliveredOnce(after, sent);
    await stop(second);
  });
});

describe('a stack without its database server', () => {
  it('stops in order and says why; the next one continues, and stops in order when its terminal closes', async () => {
    const first = directory.start();
    await first.ready();
    const pids = pidsOf(first, [...NODE_PROCESSES, 'anvil']);
    process.kill(first.pidOf('PostgreSQL server'), 'SIGKILL');
    expect(await first.exitCode).toBe(1);
    expect(first.output()).toMatch(/postgres ended .*the PostgreSQL server ended/);
    expect(pids.filter(isAlive)).toEqual([]);

    const second = directory.start();
    await second.ready();
    expect(second.output()).toContain('where the last run stopped');
    second.child.kill('SIGHUP');
    expect(await second.exitCode).toBe(0);
    expect(existsSync(inDirectory('processes.json'))).toBe(false);
  });
});

describe('a stack whose Ethereum lacks blocks that the bridge has read', () => {
  it('names them and stops; --fresh moves the old state aside and uses the database of its user', async () => {
    const stateFile = inDirectory('state', 'ethereum.json');
    const older = readFileSync(stateFile);
    const first = directory.start();
    await first.ready();
    const read = async () => !readFileSync(stateFile).equals(older);
    await waitUntil('Ethereum has been saved again', read);
    await stop(first);
    // As after a loss of power.
    writeFileSync(stateFile, older);

    const second = directory.start();
    expect(await second.exitCode).toBe(1);
    expect(second.output()).toMatch(
      /Ethereum stands at block \d+, but the bridge has read up to block \d+; .* missing/,
    );
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
