import { expect } from '@jest/globals';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import { privateKeyToAccount } from 'viem/accounts';
import type { TestEnvironment } from '../temporary-environment.js';
import { Visitor, type Browser } from './visitor.js';

/** How soon the form must say that no transfer can begin. */
const LONGEST_MS = 20_000;
const OPEN = /^Deposit 0\.1 ETH$/;

/** The form closes with a reason when the bridge cannot deliver, and opens again without a reload. */
export async function closeAndOpen(environment: TestEnvironment, browser: Browser): Promise<void> {
  const { accounts, ethereum, book, processes } = environment;
  const visitor = await Visitor.arrive(environment, browser, privateKeyToAccount(accounts.alice.privateKey));
  await visitor.page.goto('/?asset=ETH&to=partner&amount=0.1');
  await visitor.connect();
  const opens = async () => visitor.page.getByRole('button', { name: OPEN }).waitFor();
  await visitor.page
    .getByRole('button', { name: /^Switch to Ethereum$/ })
    .first()
    .click();
  await opens();
  const closes = async (reason: string | RegExp, begin: () => Promise<unknown>, end: () => Promise<unknown>) => {
    await begin();
    const startedAt = Date.now();
    await visitor.reads(reason);
    const took = Date.now() - startedAt;
    await end();
    await opens();
    expect({ reason, isSoon: took <= LONGEST_MS, took }).toMatchObject({ isSoon: true });
  };
  await closes('No relayer is running', environment.killRelayer, environment.restoreRelayer);

  const admin = ethereum.getWallet(accounts.deployer);
  const lock = { address: book.ethereum.bridgeLock, abi: bridgeLockAbi } as const;
  await closes(
    /paused/,
    async () => admin.writeContract({ ...lock, functionName: 'pause', args: [true, false] }),
    async () => {
      const [, , count] = await ethereum.client.readContract({ ...lock, functionName: 'pauses' });
      return admin.writeContract({ ...lock, functionName: 'unpause', args: [count, true, true] });
    },
  );

  const node = processes.list().find(({ name }) => name === 'partner');
  if (node === undefined) throw new Error('The partner chain has no process');
  await closes(
    /chain does not answer|makes no blocks/,
    async () => process.kill(node.pid, 'SIGSTOP'),
    async () => process.kill(node.pid, 'SIGCONT'),
  );
  await visitor.leave();
}
