import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { isTerminal, parseAmount, getToken } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { openStore, type Store, type WalletCall } from '@causeway/store';
import type { Hex } from 'viem';
import { waitUntil } from '@causeway/test-kit';
import { User } from '@causeway/testbed';
import {
  countCalls,
  killAroundBroadcast,
  revertEthereum,
  temporaryEnvironment,
  type TestEnvironment,
} from '../temporary-environment.js';

// Here the relayer sends only deliveries of deposits and retirements on the partner chain.

let environment: TestEnvironment;
let store: Store;
let alice: User;

beforeAll(async () => {
  environment = await temporaryEnvironment({ retireAfterSeconds: 2 });
  store = openStore({ databaseUrl: environment.stack.databaseUrl, onIdleError: () => undefined });
  alice = new User(environment, environment.accounts.alice);
  await completed((await alice.deposit('USDC', usdc('5000'), alice.account.address)).originTxHash);
});
afterEach(async () => environment.restoreRelayer());
afterAll(async () => {
  await store?.close();
  await environment?.stop();
});

const usdc = (amount: string) => parseAmount('USDC', amount);
const burn = async (amount: string) =>
  (await alice.burn('USDC', usdc(amount), alice.account.address, usdc(amount))).originTxHash;

async function completed(originTxHash: Hex): Promise<void> {
  await waitUntil('the operation has ended', async () => isTerminal((await alice.status(originTxHash))!.status));
  expect(await alice.status(originTxHash)).toMatchObject({ status: 'COMPLETED' });
}

const token = () => ({ address: getToken(environment.book, 'partner', 'USDC'), abi: bridgedTokenAbi }) as const;
const supply = () => environment.partner.client.readContract({ ...token(), functionName: 'totalSupply' });
const held = () =>
  environment.partner.client.readContract({ ...token(), functionName: 'balanceOf', args: [environment.book.relayer] });
/** The pending calls of retirements. */
async function pending(): Promise<WalletCall[]> {
  const calls = await store.journal.pending(wallet());
  return calls.filter(({ purpose }) => purpose === 'RETIREMENT');
}
const wallet = () => ({ chainId: environment.stack.partner.chainId, address: environment.book.relayer });
/** The first signed transaction of a call. */
const firstHash = ({ transactions }: WalletCall) => transactions[0]!.hash;

async function retiredSince(fromBlock: bigint) {
  const where = { address: environment.book.partner.bridgeMint, abi: bridgeMintAbi, eventName: 'Retired' } as const;
  const events = await environment.partner.client.getContractEvents({ ...where, fromBlock });
  return events.map(({ args, transactionHash }) => ({ amount: args.amount, txHash: transactionHash }));
}

const partnerBlock = () => environment.partner.client.getBlockNumber({ cacheTime: 0 });

async function partnerBlocks(count: number): Promise<void> {
  const from = await partnerBlock();
  await waitUntil('blocks have passed', async () => (await partnerBlock()) >= from + BigInt(count));
}

/** Waits until all burned tokens are retired and the retirement is final. */
async function allRetired(): Promise<void> {
  await waitUntil('all is retired', async () => (await held()) === 0n && (await pending()).length === 0);
}

/** Burns tokens, and kills the relayer around the broadcast of their retirement. */
async function killedAtRetirement(amount: string, when: 'beforeNode' | 'afterNode'): Promise<WalletCall> {
  const { killed } = await killAroundBroadcast(environment, 'partner', when);
  await completed(await burn(amount));
  await killed();
  const [entry] = await pending();
  return entry!;
}

describe('the tokens of completed withdrawals', () => {
  it('are retired, fees included', async () => {
    const [before, from] = [await supply(), await partnerBlock()];
    const burns = [await burn('100'), await burn('70.000001')];
    for (const each of burns) await completed(each);
    await allRetired();
    expect(before - (await supply())).toBe(usdc('170.000001'));
    const retired = await retiredSince(from);
    expect(retired.reduce((sum, { amount = 0n }) => sum + amount, 0n)).toBe(usdc('170.000001'));
  });

  it('are not retired again: no transaction and no alarm in the log', async () => {
    const from = await partnerBlock();
    const nonce = () => environment.partner.client.getTransactionCount({ address: environment.book.relayer });
    const before = await nonce();
    await partnerBlocks(8);
    expect(await nonce()).toBe(before);
    expect(await retiredSince(from)).toEqual([]);
    const log = readFileSync(join(environment.stack.logs, 'relayer.log'), 'utf8');
    expect(log.split('\n').filter((line) => /retirement postponed|holds less than/.test(line))).toEqual([]);
  });

  it('are retired together in one transaction', async () => {
    await environment.restartRelayer({ RETIRE_AFTER_MS: '86400000' });
    const from = await partnerBlock();
    for (const each of [await burn('10'), await burn('20'), await burn('30')]) await completed(each);
    expect(await pending()).toEqual([]);
    await environment.restartRelayer();
    await allRetired();
    expect(await retiredSince(from)).toMatchObject([{ amount: usdc('60') }]);
  });
});

describe('a burn that was estimated before a retirement', () => {
  it('succeeds after the retirement with exactly the estimated gas', async () => {
    await environment.restartRelayer({ RETIRE_AFTER_MS: '86400000' });
    await completed(await burn('10'));
    expect(await held()).toBeGreaterThan(0n);
    const call = {
      address: environment.book.partner.bridgeMint,
      abi: bridgeMintAbi,
      functionName: 'burn',
      args: [token().address, usdc('11'), alice.account.address, usdc('11')],
    } as const;
    const gas = await environment.partner.client.estimateContractGas({ ...call, account: alice.account.address });
    await environment.restartRelayer();
    await allRetired();
    const hash = await environment.partner.getWallet(alice.account).writeContract({ ...call, gas });
    expect((await environment.partner.client.waitForTransactionReceipt({ hash })).status).toBe('success');
    await completed(hash);
    await allRetired();
  });
});

describe('a relayer killed with SIGKILL', () => {
  it('between journal and broadcast of a retirement broadcasts it later, but not while a chain is halted', async () => {
    const [before, from] = [await supply(), await partnerBlock()];
    const entry = await killedAtRetirement('40', 'beforeNode');
    expect(await environment.relayerCommand('halt', 'partner', 'a test')).toMatchObject({ code: 0 });
    const [ethereum, partner] = [await countCalls(environment, 'ethereum'), await countCalls(environment, 'partner')];
    const urls = { ETHEREUM_RPC_URLS: ethereum.url, PARTNER_RPC_URLS: partner.url };
    await environment.restartRelayer({ ...urls, REPLACE_AFTER_MS: '86400000' });
    await ethereum.more(5, 'eth_blockNumber');
    expect(partner.of('eth_sendRawTransaction')).toBe(0);
    expect(await supply()).toBe(before);
    expect(await environment.relayerCommand('resume', 'partner')).toMatchObject({ code: 0 });
    await allRetired();
    expect(before - (await supply())).toBe(usdc('40'));
    expect(await retiredSince(from)).toEqual([{ amount: usdc('40'), txHash: firstHash(entry) }]);
  });

  it('between the broadcast of a retirement and its answer recognises it and retires once', async () => {
    const [before, from] = [await supply(), await partnerBlock()];
    const entry = await killedAtRetirement('50', 'afterNode');
    await environment.restartRelayer({ REPLACE_AFTER_MS: '86400000' });
    await allRetired();
    await partnerBlocks(6);
    expect(before - (await supply())).toBe(usdc('50'));
    expect(await retiredSince(from)).toEqual([{ amount: usdc('50'), txHash: firstHash(entry) }]);
  });
});

describe('a retirement that does not reach a node', () => {
  it('is rebroadcast unchanged, and the delivery behind it is paid', async () => {
    const from = await partnerBlock();
    let dropped = 0;
    const partnerRpcUrl = await environment.proxyBefore('partner', {
      beforeNode: async (methods) => !methods.includes('eth_sendRawTransaction') || dropped++ >= 3,
    });
    await environment.restartRelayer({ PARTNER_RPC_URLS: partnerRpcUrl, REPLACE_AFTER_MS: '1000' });
    await completed(await burn('60'));
    await waitUntil('it is journalled', async () => (await pending()).length === 1);
    const first = (await pending())[0]!;
    const behind = await alice.deposit('USDC', usdc('1'), alice.account.address);
    await completed(behind.originTxHash);
    await allRetired();
    expect(await retiredSince(from)).toEqual([{ amount: usdc('60'), txHash: firstHash(first) }]);
    const ended = await store.journal.withNonce(wallet(), first.nonce);
    expect(ended).toMatchObject({ state: 'SUCCEEDED', transactions: [{ hash: firstHash(first) }] });
    const delivery = (await alice.status(behind.originTxHash))?.settlement?.txHash;
    expect((await environment.partner.client.getTransaction({ hash: delivery! })).nonce).toBe(Number(first.nonce) + 1);
  });
});

describe('a retirement that lost a release in an accepted reorg', () => {
  it('is cancelled automatically, retires no tokens, and does not block later deliveries', async () => {
    const before = await supply();
    const snapshot = await environment.ethereum.test.snapshot();
    const entry = await killedAtRetirement('80', 'beforeNode');
    await revertEthereum(environment, snapshot);
    await environment.restartRelayer();
    await waitUntil('the halt is known', async () => (await store.halts.list()).length > 0);
    expect(await environment.relayerCommand('resume', 'ethereum', '--accept-reorg')).toMatchObject({ code: 0 });
    await waitUntil('it has ended', async () => (await pending()).length === 0);
    expect(await supply()).toBe(before);
    expect(await held()).toBe(usdc('80'));
    const ended = await store.journal.withNonce(wallet(), entry.nonce);
    expect(ended).toMatchObject({
      purpose: 'RETIREMENT',
      state: 'CANCELLED',
      transactions: [{ hash: firstHash(entry) }, { isCancellation: true }],
    });
    await completed((await alice.deposit('USDC', usdc('2'), alice.account.address)).originTxHash);
    // The lane rebroadcasts the lost release, since Ethereum lacks its nonce; then the withdrawal counts again.
    await completed(await burn('90'));
    await allRetired();
    expect(before + usdc('2') - (await supply())).toBe(usdc('170'));
  });
});

// Last, since no later retirement of this token succeeds.
describe('tokens that were retired outside the database', () => {
  it('stop retirements, even when the wallet receives as many in other ways', async () => {
    const { partner, accounts, book } = environment;
    expect(await environment.relayerCommand('halt', 'partner', 'to be first')).toMatchObject({ code: 0 });
    const before = await supply();
    const burnt = await burn('25');
    const byHand = await partner.getWallet(accounts.relayer).writeContract({
      address: book.partner.bridgeMint,
      abi: bridgeMintAbi,
      functionName: 'retire',
      args: [token().address, usdc('10')],
    });
    expect((await partner.client.waitForTransactionReceipt({ hash: byHand })).status).toBe('success');
    expect(await environment.relayerCommand('resume', 'partner')).toMatchObject({ code: 0 });
    await waitUntil('it was read', async () => (await alice.status(burnt)) !== null);
    await completed(burnt);
    await partnerBlocks(8);
    expect(await held()).toBe(usdc('15'));
    expect(await pending()).toEqual([]);
    const back = await partner.getWallet(accounts.alice).writeContract({
      ...token(),
      functionName: 'transfer',
      args: [book.relayer, usdc('10')],
    });
    expect((await partner.client.waitForTransactionReceipt({ hash: back })).status).toBe('success');
    // The contract counts only tokens from burns.
    await partnerBlocks(8);
    expect(await pending()).toEqual([]);
    expect(before - (await supply())).toBe(usdc('10'));
  });
});
