import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { getToken, parseAmount } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { adminTimelockAbi, sentinelAbi } from '@causeway/contracts/abi';
import { startChromium, waitUntil } from '@causeway/test-kit';
import { User } from '@causeway/testbed';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeFunctionData, parseEther, zeroAddress, zeroHash, type Abi, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { ConsoleMember } from './console-member.js';
import { temporaryEnvironment, type TestEnvironment } from '../temporary-environment.js';

// Stolen keys, handled by the pages of the runbook, partly in the console, partly by command.

const run = promisify(execFile);
const TIMELOCK_SECONDS = 2;
/** Timeout for each step of the bridge or a page. */
const PATIENCE = { timeoutMs: 180_000 };
const ONE_ETH = parseAmount('ETH', '1');
const MAIN = fileURLToPath(import.meta.resolve('@causeway/admin-cli/main'));
type Chain = 'ethereum' | 'partner';

let environment: TestEnvironment;
let browser: Awaited<ReturnType<typeof startChromium>>;
let alice: User;

beforeAll(async () => {
  [environment, browser] = await Promise.all([
    temporaryEnvironment({ adminDelaySeconds: TIMELOCK_SECONDS }),
    startChromium(),
  ]);
  alice = new User(environment, environment.accounts.alice);
});
afterAll(async () => {
  await browser?.close();
  await environment?.stop();
});

const lock = () => ({ address: environment.book.ethereum.bridgeLock, abi: bridgeLockAbi }) as const;
const mint = () => ({ address: environment.book.partner.bridgeMint, abi: bridgeMintAbi }) as const;
const sentinel = () => ({ address: environment.book.ethereum.sentinel, abi: sentinelAbi }) as const;

async function readGuardian(): Promise<Address> {
  const { client } = environment.ethereum;
  const address = await client.readContract({ ...sentinel(), functionName: 'timelock' });
  return client.readContract({ address, abi: adminTimelockAbi, functionName: 'guardian' });
}

/** A new account with coins for gas. */
async function makeAccount() {
  const privateKey = generatePrivateKey();
  const address = privateKeyToAddress(privateKey);
  for (const chain of ['ethereum', 'partner'] as const) {
    const wallet = environment[chain].getWallet(environment.accounts.bob);
    const hash = await wallet.sendTransaction({ to: address, value: parseEther('100') });
    await environment[chain].client.waitForTransactionReceipt({ hash });
  }
  return { address, privateKey };
}

/** Runs `causeway-admin` with a key, and returns its output. */
async function admin(privateKey: Hex, ...words: readonly string[]): Promise<string> {
  const { addressBookFile, ethereum, partner } = environment.stack;
  const nodes = ['--ethereum-rpc', ethereum.rpcUrl, '--partner-rpc', partner.rpcUrl];
  // These two ask for no confirmation, because a thief keeps working in the meantime.
  const yes = ['rotate-relayer', 'pause'].includes(words[0]!) ? [] : ['--yes'];
  const parameters = [MAIN, ...words, '--send', ...yes, '--book', addressBookFile, ...nodes];
  return (await run(process.execPath, parameters, { env: { OPERATOR_PRIVATE_KEY: privateKey } })).stdout;
}

/** Makes a contract call in the console as a member. Returns the page's text before the signature. */
async function inConsole(
  member: 'deployer' | 'recovery',
  command: string,
  options: Readonly<Record<string, string>>,
): Promise<string> {
  const person = await ConsoleMember.signIn(environment, browser, environment.accounts[member]);
  await person.open('/fees-and-limits');
  await person.press('Prepare a contract call');
  const shown = await person.callContracts(command, options);
  await person.leave();
  return shown;
}

/** Waits until earlier scheduled calls can be executed on both chains. */
async function delayIsOver(): Promise<void> {
  for (const { client } of [environment.ethereum, environment.partner]) {
    const { timestamp: announced } = await client.getBlock();
    await waitUntil('the delay is over', async () => {
      const { timestamp } = await client.getBlock();
      return timestamp > announced + BigInt(TIMELOCK_SECONDS);
    });
  }
}

/** Schedules a call of the owner by command, and executes it. Returns the output of the last command. */
async function byOwner(...words: readonly string[]): Promise<string> {
  const { privateKey } = environment.accounts.deployer;
  expect(await admin(privateKey, ...words)).toContain('schedule of');
  await delayIsOver();
  return admin(privateKey, ...words);
}

/** Reads whether beginnings or deliveries are paused. Both contracts have the view. */
async function arePaused(chain: Chain): Promise<boolean> {
  const { address } = chain === 'ethereum' ? lock() : mint();
  const pauses = { address, abi: bridgeLockAbi, functionName: 'pauses' } as const;
  const [until, deliveries] = await environment[chain].client.readContract(pauses);
  return deliveries || until > 0n;
}

const became = async (hash: Hex, wanted: string) =>
  waitUntil(`it is ${wanted}`, async () => (await alice.status(hash))?.status === wanted, PATIENCE);

async function resume(): Promise<void> {
  const { code, output } = await environment.relayerCommand('resume', 'deliveries', '--accept-unknown');
  if (code !== 0) throw new Error(output);
}

const isHalted = async () => (await environment.relayerCommand('halts')).output.includes('deliveries');

/** Reads the bridged ETH of an account, or the supply without an account. */
async function readBridged(account?: Address): Promise<bigint> {
  const token = { address: getToken(environment.book, 'partner', 'ETH'), abi: bridgedTokenAbi } as const;
  const { client } = environment.partner;
  return account === undefined
    ? client.readContract({ ...token, functionName: 'totalSupply' })
    : client.readContract({ ...token, functionName: 'balanceOf', args: [account] });
}

const readCollateral = async () =>
  environment.ethereum.client.readContract({ ...lock(), functionName: 'locked', args: [zeroAddress] });

/** The burned units that were paid out and not yet destroyed: all that the collateral does not cover. */
const readUnretired = async () => (await readBridged()) - (await readCollateral());

describe('a stolen guardian', () => {
  it('is replaced by one vote by command and one in the console, and its pauses are lifted', async () => {
    const { accounts, ethereum } = environment;
    const { guardian: thief, deployer: owner, bob } = accounts;
    const before = await alice.deposit('ETH', 2n * ONE_ETH, alice.account.address);
    await became(before.originTxHash, 'COMPLETED');
    for (const { functionName, args } of [
      { functionName: 'addPauser', args: [bob.address] },
      { functionName: 'pause', args: [true, true] },
    ] as const) {
      const hash = await ethereum.getWallet(thief).writeContract({ ...sentinel(), functionName, args });
      await ethereum.client.waitForTransactionReceipt({ hash });
    }
    expect(await arePaused('ethereum')).toBe(true);
    await expect(alice.deposit('ETH', ONE_ETH, alice.account.address)).rejects.toThrow(/Paused/);
    const waiting = await alice.burn('ETH', ONE_ETH, alice.account.address, ONE_ETH);
    await became(waiting.originTxHash, 'DELAYED');
    expect((await alice.status(waiting.originTxHash))?.delayedReason).toBe('PAUSED');

    const next = await makeAccount();
    const vote = { chain: 'ethereum', office: 'guardian', to: next.address };
    const given = await admin(
      owner.privateKey,
      'vote-replace',
      '--chain',
      'ethereum',
      '--office',
      'guardian',
      '--to',
      next.address,
    );
    expect(given).toContain('first vote: it counts until');
    expect(await inConsole('recovery', 'vote-replace', vote)).toContain(next.address);
    expect(await readGuardian()).toBe(next.address);

    const unpause = { chain: 'ethereum', direction: 'both' };
    await inConsole('recovery', 'vote-unpause', unpause);
    expect((await alice.status(waiting.originTxHash))?.status).toBe('DELAYED');
    await admin(owner.privateKey, 'vote-unpause', '--chain', 'ethereum', '--direction', 'both');
    expect(await arePaused('ethereum')).toBe(false);
    for (const account of [thief, bob]) {
      const again = { ...sentinel(), functionName: 'pause', args: [true, true], account: account.address } as const;
      await expect(ethereum.client.simulateContract(again)).rejects.toThrow(/NotPauser/);
    }
    await admin(next.privateKey, 'add-pauser', '--pauser', accounts.pauser.address, '--chain', 'ethereum');
    await became(waiting.originTxHash, 'COMPLETED');
    const later = await alice.deposit('ETH', ONE_ETH, alice.account.address);
    await became(later.originTxHash, 'COMPLETED');
  });
});

describe("a thief with the relayer's key", () => {
  it('uses the number of a deposit, which is reopened and delivered once', async () => {
    const { accounts, ethereum, partner, book } = environment;
    const { alice: user, bob, relayer, deployer: owner } = accounts;
    const held = await readBridged(user.address);
    const unretired = await readUnretired();
    const { originTxHash } = await environment.whileBlocksWait(async () => {
      const number = await ethereum.client.readContract({ ...lock(), functionName: 'depositNonce' });
      const sent = await alice.deposit('ETH', 2n * ONE_ETH, user.address);
      const args = [number, getToken(book, 'partner', 'ETH'), bob.address, 1n] as const;
      const hash = await partner.getWallet(relayer).writeContract({ ...mint(), functionName: 'mint', args });
      await partner.client.waitForTransactionReceipt({ hash });
      return sent;
    });
    await admin(accounts.pauser.privateKey, 'pause', '--direction', 'both');
    await became(originTxHash, 'DELAYED');
    expect((await alice.status(originTxHash))?.delayedReason).toBe('NUMBER_USED_UP');

    const next = await makeAccount();
    await byOwner('rotate-relayer', '--to', next.address);
    const { addressBookFile } = environment.stack;
    expect(JSON.parse(readFileSync(addressBookFile, 'utf8')).relayer).toBe(next.address.toLowerCase());
    environment.useWallet(next);
    await environment.restartRelayer({ FORMER_WALLETS: relayer.address });

    const shown = await admin(owner.privateKey, 'reopen', '--chain', 'partner');
    expect(shown).toContain('1 numbers of ethereum that false deliveries on partner used up');
    const [, missing = ''] = /admin top-up --chain ethereum --amount "([^"]+)"/.exec(shown) ?? [];
    await delayIsOver();
    const executed = await inConsole('deployer', 'reopen', { chain: 'partner' });
    expect(executed).toContain('Executes the scheduled call');
    expect(executed).toContain('The values come from a simulation at block');
    await admin(bob.privateKey, 'top-up', '--chain', 'ethereum', '--amount', missing);
    await resume();
    await byOwner('unpause', '--direction', 'both');

    await became(originTxHash, 'COMPLETED');
    expect((await readBridged(user.address)) - held).toBe(2n * ONE_ETH);
    expect(await readUnretired()).toBe(unretired);
    expect(await isHalted()).toBe(false);
  });
});

describe("a thief with the admin's keys", () => {
  it('reopens a paid number: the relayer halts, and pays nothing twice', async () => {
    const { accounts, partner } = environment;
    const { deployer: thief, alice: user } = accounts;
    const wallet = partner.getWallet(thief);
    const timelock = await partner.client.readContract({ ...mint(), functionName: 'owner' });
    const held = await readBridged(user.address);
    const supply = await readBridged();
    const number = await environment.ethereum.client.readContract({ ...lock(), functionName: 'depositNonce' });
    const abi: Abi = adminTimelockAbi;
    const send = async (functionName: 'schedule' | 'execute', args: readonly unknown[]) => {
      const data = encodeFunctionData({ abi, functionName, args });
      const hash = await wallet.sendTransaction({ to: timelock, data });
      expect((await partner.client.waitForTransactionReceipt({ hash })).status).toBe('success');
    };
    for (const data of [
      encodeFunctionData({ abi: bridgeMintAbi, functionName: 'pause', args: [false, true] }),
      encodeFunctionData({ abi: bridgeMintAbi, functionName: 'reopen', args: [0n, (1n << number) - 1n, 1n] }),
    ]) {
      const call = [mint().address, 0n, data, zeroHash, zeroHash] as const;
      await send('schedule', [...call, BigInt(TIMELOCK_SECONDS)]);
      await delayIsOver();
      await send('execute', call);
    }
    await waitUntil('the deliveries halt', isHalted, PATIENCE);
    expect((await environment.relayerCommand('halts')).output).toContain('Wrong Reopened');
    await resume();
    await byOwner('unpause', '--direction', 'both');
    const { originTxHash } = await alice.deposit('ETH', ONE_ETH, user.address);
    await became(originTxHash, 'COMPLETED');
    expect((await readBridged(user.address)) - held).toBe(ONE_ETH);
    expect((await readBridged()) - supply).toBe(ONE_ETH);
    expect(await isHalted()).toBe(false);
  });
});
