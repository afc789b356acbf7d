import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatAmount, isTerminal, parseAmount } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { waitUntil } from '@causeway/test-kit';
import { connect, User, type StackFile } from '@causeway/testbed';
import { isAlive, StackDirectory, type RunningStack } from './running-stack.js';

const AMOUNT = parseAmount('USDC', '70');
const PATIENCE_MS = 120_000;
const PARTS = ['ethereum', 'partner', 'postgres', 'relayer', 'api'];

let directory: StackDirectory;

beforeEach(() => {
  directory = new StackDirectory();
});
afterEach(async () => directory.remove());

const stranger = (): Address => privateKeyToAddress(generatePrivateKey());

async function stop(stack: RunningStack): Promise<void> {
  stack.child.kill('SIGINT');
  expect(await stack.exitCode).toBe(0);
}

async function completed(user: User, originTxHash: Hex): Promise<void> {
  const ended = async () => {
    const operation = await user.status(originTxHash);
    return operation !== null && isTerminal(operation.status);
  };
  await waitUntil('the transfer has ended', ended, { timeoutMs: PATIENCE_MS });
  expect(await user.status(originTxHash)).toMatchObject({ status: 'COMPLETED' });
}

/** What a recipient holds on the partner chain, and how many deliveries brought it. */
async function received(stack: StackFile, owner: Address) {
  const { book, partner } = connect(stack);
  const mints = await partner.client.getContractEvents({
    address: book.partner.bridgeMint,
    abi: bridgeMintAbi,
    eventName: 'Mint',
    args: { recipient: owner },
    fromBlock: 0n,
  });
  const balance = await partner.client.readContract({
    address: book.partner.tokens.USDC,
    abi: bridgedTokenAbi,
    functionName: 'balanceOf',
    args: [owner],
  });
  return { deliveries: mints.length, balance };
}

describe('a stack that is killed in the middle of a transfer', () => {
  it('continues with the same chains and database, and delivers once', async () => {
    const first = directory.start();
    const before = await first.ready();
    const recipient = stranger();
    const { originTxHash } = await new User(connect(before), before.accounts.alice).deposit('USDC', AMOUNT, recipient);
    first.child.kill('SIGKILL');
    await first.exitCode;

    const second = directory.start();
    const after = await second.ready();
    expect(second.output()).toContain('where the last run stopped');
    expect(after.addressBook).toEqual(before.addressBook);
    await completed(new User(connect(after), after.accounts.alice), originTxHash);
    expect(await received(after, recipient)).toEqual({ deliveries: 1, balance: AMOUNT });
    const line = new RegExp(`0x[0-9a-f]{8} +${formatAmount('USDC', AMOUNT)} USDC +in +COMPLETED`);
    await waitUntil('the completion is printed', () => Promise.resolve(line.test(second.output())));
    expect(existsSync(join(directory.path, 'logs.1', 'relayer.log'))).toBe(true);
    await stop(second);
  });

  it('continues also when every process of Node was killed, and ends the chain and database that were left', async () => {
    const first = directory.start();
    const before = await first.ready();
    const recipient = stranger();
    const { originTxHash } = await new User(connect(before), before.accounts.alice).deposit('USDC', AMOUNT, recipient);
    const orphans = [first.pidOf('anvil'), first.pidOf('PostgreSQL server')];
    const pids = PARTS.map((part) => first.pidOf(part));
    first.child.kill('SIGKILL');
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await first.exitCode;
    expect(orphans.filter(isAlive)).toEqual(orphans);

    const second = directory.start();
    const after = await second.ready();
    for (const pid of orphans) {
      expect(second.output()).toContain(`(process ${pid})`);
      expect(isAlive(pid)).toBe(false);
    }
    await completed(new User(connect(after), after.accounts.alice), originTxHash);
    expect(await received(after, recipient)).toEqual({ deliveries: 1, balance: AMOUNT });
    await stop(second);
  });
});

describe('a stack that lost the last blocks of Ethereum', () => {
  it('names them, stops, and keeps everything; --fresh moves the old state aside', async () => {
    const first = directory.start();
    await first.ready();
    const stateFile = join(directory.path, 'state', 'ethereum.json');
    const older = readFileSync(stateFile);
    // A machine without power: nothing can be saved any more.
    const pids = [...PARTS, 'anvil', 'PostgreSQL server'].map((part) => first.pidOf(part));
    await waitUntil('Ethereum was saved again', () => Promise.resolve(!readFileSync(stateFile).equals(older)));
    first.child.kill('SIGKILL');
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await first.exitCode;
    writeFileSync(stateFile, older);

    const second = directory.start();
    expect(await second.exitCode).toBe(1);
    expect(second.output()).toMatch(/Ethereum stands at block \d+, but the bridge has read up to block \d+/);
    expect(second.output()).toMatch(/blocks? \d+ .*missing/);
    expect(second.output()).toContain('--fresh');
    expect(existsSync(join(directory.path, 'state', 'postgres', 'PG_VERSION'))).toBe(true);

    const third = directory.start('--fresh');
    await third.ready();
    const aside = readdirSync(directory.path).filter((name) => name.startsWith('state-'));
    expect(aside).toHaveLength(1);
    expect(third.output()).toContain(join(directory.path, String(aside[0])));
    expect(existsSync(join(directory.path, String(aside[0]), 'postgres', 'PG_VERSION'))).toBe(true);
    await stop(third);
  });
});

describe('a part that ends', () => {
  it('ends the stack in order, with its last error; the next run continues', async () => {
    const first = directory.start();
    await first.ready();
    const pids = [...PARTS, 'anvil'].map((part) => first.pidOf(part));
    process.kill(first.pidOf('PostgreSQL server'), 'SIGKILL');
    expect(await first.exitCode).toBe(1);
    expect(first.output()).toMatch(/postgres ended .*the PostgreSQL server ended/);
    expect(pids.filter(isAlive)).toEqual([]);
    const second = directory.start();
    await second.ready();
    await stop(second);
  });

  it('is stopped in order when the terminal closes', async () => {
    const stack = directory.start();
    await stack.ready();
    const pids = [...PARTS, 'anvil', 'PostgreSQL server'].map((part) => stack.pidOf(part));
    stack.child.kill('SIGHUP');
    expect(await stack.exitCode).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(existsSync(join(directory.path, 'processes.json'))).toBe(false);
  });
});
