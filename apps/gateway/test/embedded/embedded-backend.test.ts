import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createWalletClient,
  createPublicClient,
  custom,
  defineChain,
  parseEther,
  parseGwei,
  toHex,
  type Hex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { createEmbeddedBackend, type EmbeddedBackend } from '../../src/backends/embedded/embedded-backend.js';

const CHAIN = defineChain({
  id: 8901,
  name: 'partner',
  nativeCurrency: { name: 'XCN', symbol: 'XCN', decimals: 18 },
  rpcUrls: { default: { http: [] } },
});
const SLOT: Hex = `0x${'11'.repeat(32)}`;
const ALICE = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const BOB = privateKeyToAccount('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d');

describe('the embedded backend', () => {
  const directory = mkdtempSync(join(tmpdir(), 'causeway-embedded-'));
  let backend: EmbeddedBackend;
  const ask = <T>(method: string, ...params: unknown[]): Promise<T> => backend.request(method, params) as Promise<T>;
  const transport = custom({ request: ({ method, params }) => backend.request(method, (params as unknown[]) ?? []) });
  const client = createPublicClient({ chain: CHAIN, transport, pollingInterval: 20 });
  const wallet = createWalletClient({ chain: CHAIN, transport, account: ALICE });

  beforeAll(async () => {
    backend = await createEmbeddedBackend({
      chainId: 8901,
      dataDirectory: directory,
      genesisFile: null,
      blockIntervalMs: 0,
      clientVersion: 'Causeway/test',
    });
  });
  afterAll(async () => {
    await backend?.close();
    rmSync(directory, { recursive: true });
  });

  it('sends a transfer of every type and shows it unchanged', async () => {
    const fees = { gasPrice: parseGwei('1') };
    for (const request of [
      { type: 'legacy' as const, ...fees },
      {
        type: 'eip2930' as const,
        ...fees,
        accessList: [{ address: ALICE.address, storageKeys: [SLOT] }],
      },
      { type: 'eip1559' as const, maxFeePerGas: parseGwei('2'), maxPriorityFeePerGas: parseGwei('1') },
    ]) {
      const to = `0x${'ab'.repeat(19)}0${request.type.length % 10}` as Hex;
      const hash = await wallet.sendTransaction({ to, value: parseEther('1'), ...request });
      const receipt = await client.waitForTransactionReceipt({ hash });
      expect(receipt.status).toBe('success');
      const transaction = await client.getTransaction({ hash });
      expect(transaction).toMatchObject({ type: request.type, to, value: parseEther('1'), chainId: 8901 });
      expect(await client.getBalance({ address: to })).toBeGreaterThanOrEqual(parseEther('1'));
      const block = await client.getBlock({ blockHash: receipt.blockHash, includeTransactions: true });
      expect(block.transactions[0]?.hash).toBe(hash);
    }
  });

  it('answers a sent transaction once its receipt exists, and one behind a nonce gap immediately', async () => {
    const request = { to: BOB.address, value: parseEther('1'), gas: 21_000n, type: 'eip1559' as const };
    const fees = { maxFeePerGas: parseGwei('2'), maxPriorityFeePerGas: parseGwei('1') };
    const nonce = await client.getTransactionCount({ address: ALICE.address });
    const raw = (at: number) => wallet.signTransaction({ ...request, ...fees, nonce: at });
    const behind = await ask<Hex>('eth_sendRawTransaction', await raw(nonce + 1));
    expect(await ask('eth_getTransactionReceipt', behind)).toBeNull();
    for (let at = nonce + 2; at < nonce + 7; at += 1) await ask('eth_sendRawTransaction', await raw(at));
    const first = await ask<Hex>('eth_sendRawTransaction', await raw(nonce));
    expect(await ask('eth_getTransactionReceipt', first)).toMatchObject({ status: '0x1' });
    for (let at = nonce + 7; at < nonce + 27; at += 1) {
      const hash = await ask<Hex>('eth_sendRawTransaction', await raw(at));
      expect(await ask('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' });
    }
  });

  it('returns null for unknown things, and -32001 for the state of unknown blocks', async () => {
    const unknown = `0x${'12'.repeat(32)}`;
    expect(await ask('eth_getTransactionByHash', unknown)).toBeNull();
    expect(await ask('eth_getTransactionReceipt', unknown)).toBeNull();
    expect(await ask('eth_getBlockByHash', unknown, false)).toBeNull();
    expect(await ask('eth_getBlockByNumber', '0xffffff', false)).toBeNull();
    await expect(ask('eth_getBalance', ALICE.address, '0xffffff')).rejects.toMatchObject({ code: -32001 });
    await expect(ask('eth_call', {}, { blockHash: unknown })).rejects.toMatchObject({ code: -32001 });
    await expect(ask('eth_getLogs', { blockHash: unknown })).rejects.toMatchObject({ code: -32001 });
    await expect(ask('debug_traceTransaction', unknown, undefined)).rejects.toMatchObject({ code: -32001 });
  });

  it('refuses dust: -32602 in a call, -32003 in a transaction', async () => {
    const call = { from: ALICE.address, to: ALICE.address, value: '0x1' };
    await expect(ask('eth_call', call, 'latest')).rejects.toMatchObject({ code: -32602 });
    await expect(ask('eth_estimateGas', call, 'latest')).rejects.toMatchObject({ code: -32602 });
    const raw = await wallet.signTransaction({
      to: ALICE.address,
      value: 1n,
      gas: 21_000n,
      nonce: 0,
      type: 'eip1559',
      maxFeePerGas: parseGwei('1'),
      maxPriorityFeePerGas: 0n,
    });
    await expect(ask('eth_sendRawTransaction', raw)).rejects.toMatchObject({ code: -32003 });
  });

  it('runs code without a beacon chain, without blobs, and with prices in whole units', async () => {
    const returned = async (opcode: string, call = {}) =>
      Number(await ask<Hex>('eth_call', { from: ALICE.address, data: `0x${opcode}5f5260205ff3`, ...call }, 'latest'));
    const [basefee, gasprice] = ['48', '3a'];
    expect(await returned(basefee)).toBe(0);
    expect(await returned(gasprice, { gasPrice: toHex(parseGwei('9.9')) })).toBe(0);
    expect(await returned(gasprice, { gasPrice: toHex(parseGwei('25')) })).toBe(2);
    for (const contract of [
      '0x0000F90827F1C53a10cb7A02335B175320002935',
      '0x000F3df6D732807Ef1319fB7B8bB8522d0Beac02',
    ]) {
      expect(await ask('eth_getCode', contract, 'latest')).toBe('0x');
    }
    const proof = { to: `0x${'0a'.padStart(40, '0')}`, data: `0x${'00'.repeat(192)}` };
    await expect(ask('eth_call', proof, 'latest')).rejects.toMatchObject({ code: -32000 });
  });

  it('estimates and carries out a transaction that delegates an account to code (EIP-7702)', async () => {
    const owner = privateKeyToAccount(`0x${'77'.repeat(32)}`);
    const contractAddress = `0x${'cd'.repeat(20)}` as const;
    const authorization = await owner.signAuthorization({ chainId: 8901, contractAddress, nonce: 0 });
    const request = { to: owner.address, authorizationList: [authorization] };
    const gas = await client.estimateGas({ account: ALICE.address, ...request });
    const hash = await wallet.sendTransaction({ ...request, gas });
    const receipt = await client.waitForTransactionReceipt({ hash });
    expect(receipt).toMatchObject({ status: 'success', type: 'eip7702' });
    expect(receipt.gasUsed).toBeLessThanOrEqual(gas);
    expect(await client.getCode({ address: owner.address })).toBe(`0xef0100${contractAddress.slice(2)}`);
    expect(await client.getTransaction({ hash })).toMatchObject({
      type: 'eip7702',
      authorizationList: [
        expect.objectContaining({ address: contractAddress, r: authorization.r, s: authorization.s }),
      ],
    });
  });

  describe('when a transaction left thousands of logs', () => {
    let logger: Hex;
    let blockNumber: Hex;

    beforeAll(async () => {
      // JUMPDEST, 20 times PUSH0 PUSH0 LOG0, and so on while there is gas.
      const data: Hex = `0x5b${'5f5fa0'.repeat(20)}5a62030000105f5700`;
      logger = await wallet.sendTransaction({ data, gas: 2_500_000n });
      blockNumber = toHex((await client.waitForTransactionReceipt({ hash: logger })).blockNumber);
    });

    it.each([
      ['eth_getTransactionReceipt', () => logger],
      ['eth_getBlockReceipts', () => blockNumber],
    ])('answers cheap calls while %s runs in steps', async (method, param) => {
      let answered = 0;
      const costly = Array.from({ length: 20 }, async () => {
        await backend.request(method, [param()], '192.0.2.1');
        answered += 1;
      });
      await ask('eth_getBalance', ALICE.address, 'latest');
      expect(answered).toBeLessThan(2);
      const other = backend.request(method, [param()], '192.0.2.2');
      expect(await Promise.race([other.then(() => 'other'), Promise.all(costly).then(() => 'costly')])).toBe('other');
      await Promise.all(costly);
    });

    it('starts such a receipt only after the last one is answered', async () => {
      const { reader } = backend.chain;
      const read = reader.logsFrom.bind(reader);
      const alive = { now: 0, most: 0 };
      reader.logsFrom = (block, first, count) => {
        if (first === 0) alive.now += 1;
        alive.most = Math.max(alive.most, alive.now);
        return read(block, first, count);
      };
      const answer = async () => {
        await backend.request('eth_getTransactionReceipt', [logger], '192.0.2.1');
        alive.now -= 1;
      };
      await Promise.all(Array.from({ length: 10 }, answer));
      reader.logsFrom = read;
      expect(alive).toEqual({ now: 0, most: 1 });
    });

    it('numbers them and computes the bloom as for one', async () => {
      const { logs, logsBloom } = await ask<{ logs: { logIndex: Hex }[]; logsBloom: Hex }>(
        'eth_getTransactionReceipt',
        logger,
      );
      expect(logs.map(({ logIndex }) => Number(logIndex))).toEqual([...logs.keys()]);
      expect(await ask('eth_getBlockByNumber', blockNumber, false)).toMatchObject({ logsBloom });
    });
  });

  it('refuses only the client with too many costly calls waiting', async () => {
    const call = (caller: string) => backend.request('eth_call', [{}, 'latest'], caller);
    const calls = await Promise.allSettled(
      Array.from({ length: 1_200 }, () => call('192.0.2.1')).concat(call('192.0.2.2')),
    );
    const refused = calls.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(50);
    expect(refused[0]).toMatchObject({ reason: { code: -32002 } });
    expect(calls.at(-1)?.status).toBe('fulfilled');
  });

  it('returns tips only if requested (eth_feeHistory)', async () => {
    const plain = await ask<object>('eth_feeHistory', '0x400', 'latest', []);
    expect(plain).not.toHaveProperty('reward');
    const { reward } = await ask<{ reward: Hex[][] }>('eth_feeHistory', '0x2', 'latest', [0, 100]);
    expect(reward).toHaveLength(2);
    expect(reward.every((each) => each.length === 2)).toBe(true);
  });

  it('excludes transactions behind a nonce gap from the pending block', async () => {
    const fees = { gas: 21_000n, gasPrice: parseGwei('1'), chainId: 8901 } as const;
    const stuck = await BOB.signTransaction({ to: ALICE.address, nonce: 7, ...fees });
    const hash = await ask<Hex>('eth_sendRawTransaction', stuck);
    expect(await ask('eth_getTransactionByHash', hash)).toMatchObject({ hash, nonce: '0x7', blockHash: null });
    for (const isFull of [false, true]) {
      expect(await ask('eth_getBlockByNumber', 'pending', isFull)).toMatchObject({ hash: null, transactions: [] });
    }
  });

  it('returns at most 16 MiB of logs', async () => {
    // PUSH3 0x120000 PUSH0 LOG0: a log of 1.1 MiB.
    const creation = await wallet.sendTransaction({ data: '0x65621200005fa05f526006601af3' });
    const { contractAddress } = await client.waitForTransactionReceipt({ hash: creation });
    const first = await client.getBlockNumber();
    let last: Hex = '0x';
    for (let i = 0; i < 15; i += 1) last = await wallet.sendTransaction({ to: contractAddress, gas: 14_000_000n });
    await client.waitForTransactionReceipt({ hash: last });
    const query = { fromBlock: `0x${first.toString(16)}`, toBlock: 'latest', address: contractAddress };
    await expect(ask('eth_getLogs', query)).rejects.toMatchObject({
      code: -32005,
      message: expect.stringMatching(/16 MiB\. Try with this block range \[0x/),
    });
    const beyond = { ...query, toBlock: `0x${(first + 1_000n).toString(16)}` };
    await expect(ask('eth_getLogs', beyond)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('block range extends beyond current head block'),
    });
    const reversed = { ...query, fromBlock: 'latest', toBlock: 'earliest' };
    await expect(ask('eth_getLogs', reversed)).rejects.toMatchObject({ code: -32602 });
    expect(await ask('eth_getLogs', { ...query, fromBlock: 'latest' })).not.toHaveLength(0);
  });
});
