import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { isTerminal, parseAmount, getToken } from '@causeway/protocol';
import { healthResponseSchema } from '@causeway/protocol/rest';
import { bridgedTokenAbi } from '@causeway/protocol/abi';
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

const AMOUNT = parseAmount('USDC', '100');

let environment: TestEnvironment;
let alice: User;

beforeAll(async () => {
  environment = await temporaryEnvironment();
  alice = new User(environment, environment.accounts.alice);
});
afterEach(async () => environment.restoreRelayer());
afterAll(async () => environment?.stop());

const readStatus = async (hash: Hex) => (await alice.status(hash))?.status;

async function completed(hash: Hex) {
  await waitUntil('the operation has ended', async () => {
    const operation = await alice.status(hash);
    return operation !== null && isTerminal(operation.status);
  });
  expect(await readStatus(hash)).toBe('COMPLETED');
}

async function health() {
  const response = await fetch(environment.stack.healthUrl);
  return { code: response.status, ...healthResponseSchema.parse(await response.json()) };
}

/** Returns the funds that the reorg took from BridgeLock. Without them the bridge is insolvent and halts. */
async function putBack(amount: bigint): Promise<void> {
  const { book, ethereum } = environment;
  const hash = await ethereum.getWallet(alice.account).writeContract({
    address: getToken(book, 'ethereum', 'USDC'),
    abi: bridgedTokenAbi,
    functionName: 'transfer',
    args: [book.ethereum.bridgeLock, amount],
  });
  const { blockNumber } = await ethereum.client.waitForTransactionReceipt({ hash });
  await waitUntil(
    'it is final',
    async () => (await ethereum.client.getBlockNumber({ cacheTime: 0 })) > blockNumber + 4n,
  );
}

async function partnerBlocks(count: number): Promise<void> {
  const from = await environment.partner.client.getBlockNumber({ cacheTime: 0 });
  await waitUntil('blocks have passed', async () => {
    return (await environment.partner.client.getBlockNumber({ cacheTime: 0 })) >= from + BigInt(count);
  });
}

describe('a halt that an operator set', () => {
  it('holds back transactions signed before it until it is lifted', async () => {
    const { killed } = await killAroundBroadcast(environment, 'partner', 'beforeNode');
    const { originTxHash } = await alice.deposit('USDC', AMOUNT, alice.account.address);
    await killed();
    expect(await environment.relayerCommand('halt', 'ethereum', 'a test')).toMatchObject({ code: 0 });
    const partner = await countCalls(environment, 'partner');
    await environment.restartRelayer({ PARTNER_RPC_URLS: partner.url });
    await partner.more(5, 'eth_blockNumber');
    expect(partner.of('eth_sendRawTransaction')).toBe(0);
    expect(await environment.relayerCommand('resume', 'ethereum')).toMatchObject({ code: 0 });
    await completed(originTxHash);
    expect(partner.of('eth_sendRawTransaction')).toBeGreaterThan(0);
  });

  it('is lifted immediately when the node has the read blocks', async () => {
    expect(await environment.relayerCommand('halt', 'partner', 'a drill')).toMatchObject({ code: 0 });
    expect((await health()).halts).toMatchObject([{ chainId: 8_901 }]);
    expect((await environment.relayerCommand('halts')).output).toContain('a drill');
    expect(await environment.relayerCommand('resume', 'partner')).toMatchObject({ code: 0 });
    expect((await health()).halts).toBeUndefined();
    expect(await environment.relayerCommand('resume', 'partner')).toMatchObject({ code: 1 });
    expect(await environment.relayerCommand('resume', 'moon')).toMatchObject({ code: 1 });
  });
});

describe('a reorg that removes final blocks', () => {
  it('halts the chain, across a restart, until an operator accepts it', async () => {
    const { originTxHash: kept } = await alice.deposit('USDC', AMOUNT, alice.account.address);
    await completed(kept);
    expect(await health()).toMatchObject({ code: 200, status: 'healthy' });
    const before = await environment.ethereum.test.snapshot();
    const { originTxHash: lost } = await alice.deposit('USDC', AMOUNT, alice.account.address);
    await completed(lost);
    const { id } = (await alice.status(lost))!;
    await revertEthereum(environment, before);

    await waitUntil('the API reports the halt', async () => (await health()).halts !== undefined);
    expect(await health()).toMatchObject({ code: 503, status: 'unhealthy', halts: [{ chainId: 31_337 }] });
    expect((await environment.relayerCommand('halts')).output).toContain(id);
    await environment.restartRelayer();
    const { originTxHash: burned } = await alice.burn('USDC', AMOUNT, alice.account.address, AMOUNT);
    await waitUntil('the burn was read', () => alice.isRead(burned));
    await partnerBlocks(8);
    expect(await readStatus(burned)).toBe('CONFIRMING');

    const refused = await environment.relayerCommand('resume', 'ethereum');
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining(`${id} COMPLETED`) });
    expect((await health()).halts).toHaveLength(1);
    await putBack(AMOUNT);
    expect(await environment.relayerCommand('resume', 'ethereum', '--accept-reorg')).toMatchObject({ code: 0 });
    await completed(burned);
    await waitUntil('it is healthy', async () => (await health()).code === 200);
  });
});
