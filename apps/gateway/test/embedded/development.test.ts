import { once } from 'node:events';
import { testKey, type GatewayProcess } from '@causeway/test-kit';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestClient, defineChain, http, publicActions, walletActions, type Address, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { startEmbeddedGateway } from '../setup/gateway.js';
import { readError, rpc } from '../setup/rpc.js';

const ONE = 10n ** 18n;
const account = privateKeyToAccount(testKey(0));
const fresh: Address = `0x${'f5'.repeat(20)}`;
/** Its code adds one to slot 0 and emits a log with no topic. */
const COUNTER_CREATION: Hex = '0x6a5f54600101805f555f5fa0600052600b6015f3';

let gateway: GatewayProcess;
beforeEach(async () => {
  gateway = await startEmbeddedGateway({ DEVELOPMENT_METHODS: 'true' });
});
afterEach(async () => gateway.stop());

function makeClient() {
  const chain = defineChain({
    id: 8901,
    name: 'Partner chain',
    nativeCurrency: { name: 'XCN', symbol: 'XCN', decimals: 18 },
    rpcUrls: { default: { http: [gateway.httpUrl] } },
  });
  return createTestClient({ account, chain, mode: 'hardhat', transport: http(), pollingInterval: 50 })
    .extend(publicActions)
    .extend(walletActions);
}

async function send(to: Address, value = 0n): Promise<Hex> {
  const client = makeClient();
  const hash = await client.sendTransaction({ to, value });
  await client.waitForTransactionReceipt({ hash });
  return hash;
}

describe('a snapshot', () => {
  it('restores balances, storage, nonces, blocks, transactions and logs', async () => {
    const client = makeClient();
    const deployment = await client.deployContract({ abi: [], bytecode: COUNTER_CREATION });
    const { contractAddress } = await client.waitForTransactionReceipt({ hash: deployment });
    const counter = contractAddress!;
    await send(counter);
    const facts = async () => ({
      block: (await client.getBlock()).hash,
      balance: await client.getBalance({ address: account.address }),
      fresh: await client.getBalance({ address: fresh }),
      nonce: await client.getTransactionCount({ address: account.address }),
      count: await client.getStorageAt({ address: counter, slot: '0x0' }),
      logs: (await client.getLogs({ address: counter, fromBlock: 0n })).length,
    });
    const before = await facts();
    expect(before).toMatchObject({ fresh: 0n, logs: 1 });
    const id = await client.snapshot();
    const gone = [await send(counter), await send(fresh, ONE), await send(counter)];
    expect(await facts()).toMatchObject({ fresh: ONE, logs: 3 });
    await client.revert({ id });
    expect(await facts()).toEqual(before);
    for (const hash of gone) expect(await rpc(gateway.httpUrl, 'eth_getTransactionByHash', [hash])).toBeNull();
    await send(counter);
    expect(await facts()).toMatchObject({ logs: 2, nonce: before.nonce + 1 });
    expect(await rpc(gateway.httpUrl, 'debug_traceTransaction', [await send(fresh, ONE)])).toMatchObject({ to: fresh });
  }, 30_000);

  it('is consumed by reverting, as are later snapshots', async () => {
    const ids = [await rpc(gateway.httpUrl, 'evm_snapshot'), await rpc(gateway.httpUrl, 'evm_snapshot')];
    expect(await rpc(gateway.httpUrl, 'evm_revert', [ids[0]])).toBe(true);
    for (const id of ids) expect(await rpc(gateway.httpUrl, 'evm_revert', [id])).toBe(false);
  });

  it('delivers the new branch to subscribers', async () => {
    const client = makeClient();
    const numbers: number[] = [];
    const socket = new WebSocket(gateway.wsUrl);
    await once(socket, 'open');
    socket.addEventListener('message', ({ data }) => {
      const { params } = JSON.parse(String(data)) as { params?: { result: { number: Hex } } };
      if (params !== undefined) numbers.push(Number(params.result.number));
    });
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }));
    await once(socket, 'message');
    const id = await client.snapshot();
    const first = Number(await client.getBlockNumber());
    await client.mine({ blocks: 2 });
    await client.revert({ id });
    await client.mine({ blocks: 1 });
    for (let round = 0; round < 100 && numbers.length < 3; round += 1)
      await new Promise((done) => setTimeout(done, 20));
    socket.close();
    await once(socket, 'close');
    expect(numbers).toEqual([first + 1, first + 2, first + 1]);
  });
});

describe('the clock', () => {
  it('moves forward, and continues from there', async () => {
    const client = makeClient();
    const { timestamp } = await client.getBlock();
    await client.increaseTime({ seconds: 1_000 });
    await client.mine({ blocks: 1 });
    const later = (await client.getBlock()).timestamp;
    expect(later).toBeGreaterThanOrEqual(timestamp + 1_000n);
    await client.setNextBlockTimestamp({ timestamp: later + 500n });
    await client.mine({ blocks: 3, interval: 60 });
    expect((await client.getBlock()).timestamp).toBe(later + 620n);
    await client.mine({ blocks: 3 });
    expect((await client.getBlock()).timestamp).toBeGreaterThanOrEqual(later + 622n);
    expect(await rpc(gateway.httpUrl, 'hardhat_metadata')).toMatchObject({
      chainId: 8901,
      clientVersion: expect.stringContaining('anvil-methods'),
    });
  });

  it.each<[string, readonly unknown[], string]>([
    ['evm_setNextBlockTimestamp', [1], 'the time of the newest block'],
    ['evm_increaseTime', ['0xffffffffff'], '100 years'],
    ['evm_increaseTime', [-1], 'must not be negative'],
    ['hardhat_mine', [2_000], 'at most 1024 blocks'],
    ['evm_revert', ['x'], 'must be a quantity'],
  ])('and blocks refuse %s %j', async (method, params, words) => {
    await rpc(gateway.httpUrl, 'evm_mine');
    const error = await readError(gateway.httpUrl, method, params);
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(words) });
  });
});

describe('a gateway without development methods', () => {
  it.each([
    [{ HOST: '0.0.0.0' }, 'loopback'],
    [{ TRUSTED_PROXY_HOPS: '1' }, 'TRUSTED_PROXY_HOPS is 0'],
    [{ BACKEND: 'upstream', UPSTREAM_URLS: 'http://127.0.0.1:1' }, 'embedded'],
  ])('does not start with %j', async (variables, words) => {
    await expect(startEmbeddedGateway({ DEVELOPMENT_METHODS: 'true', ...variables })).rejects.toThrow(words);
  });

  it('does not support them', async () => {
    const plain = await startEmbeddedGateway();
    try {
      expect(await readError(plain.httpUrl, 'evm_snapshot', [])).toMatchObject({ code: -32601 });
    } finally {
      await plain.stop();
    }
  });
});
