import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeDeployData, encodeFunctionData, keccak256, parseGwei, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { testUsdcAbi } from '@causeway/contracts/abi';
import { testUsdcBytecode } from '@causeway/contracts/bytecode';
import type { Backend, HeadEvent } from '../src/backend/backend.js';
import { createUpstreamBackend } from '../src/backend/upstream/create-upstream-backend.js';
import type { UpstreamOptions } from '../src/backend/upstream/upstream-options.js';
import { ANVIL_KEY, startAnvil, type Anvil } from './processes/start-anvil.js';
import { startProxy, type Proxy } from './processes/start-proxy.js';

const CHAIN_ID = 8901;
const GENESIS_TIME = 1_700_000_000;
/** The same arguments make the same genesis, the same blocks at the same times the same chain. */
const SAME = ['--chain-id', String(CHAIN_ID), '--timestamp', String(GENESIS_TIME), '--no-mining'];
const account = privateKeyToAccount(ANVIL_KEY);
const RECIPIENT = '0x00000000000000000000000000000000000c0ffe';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

describe('two nodes of the same chain', () => {
  it('loses no read when one of them is killed under load', async () => {
    const { nodes } = await startTwins();
    await mineOn(nodes, 3);
    const backend = await connect(nodes.map(({ url }) => url));
    await until(() => backend.status().nodes.every(({ healthy }) => healthy));
    let running = true;
    let answered = 0;
    const failures: unknown[] = [];
    const reader = async (index: number) => {
      for (let round = 0; running && round < 100_000; round++) {
        try {
          const block = (await backend.request('eth_getBlockByNumber', ['0x3', false])) as { number: Hex };
          const balance = await backend.request('eth_getBalance', [account.address, 'latest']);
          const code = await backend.request('eth_getCode', [`0x${(index + 1).toString(16).padStart(40, '0')}`, '0x2']);
          if (block.number !== '0x3' || typeof balance !== 'string' || typeof code !== 'string') failures.push(block);
          answered += 3;
        } catch (error) {
          failures.push(error);
        }
      }
    };
    const readers = Array.from({ length: 50 }, (_, index) => reader(index));
    await pause(500);
    const before = answered;
    await nodes[0]?.kill();
    await pause(1_500);
    running = false;
    await Promise.all(readers);
    expect(failures).toEqual([]);
    expect(before).toBeGreaterThan(100);
    expect(answered).toBeGreaterThan(before + 100);
    expect(backend.status().available).toBe(true);
    expect(backend.status().nodes.map(({ healthy }) => healthy)).toEqual([false, true]);
  });

  it('comes back to a node that was away', async () => {
    const { nodes } = await startTwins();
    const [first, second] = nodes;
    const backend = await connect(nodes.map(({ url }) => url));
    await first?.kill();
    await until(() => backend.status().nodes[0]?.healthy === false);
    const again = await startAnvil(SAME, first?.port);
    cleanups.push(again.kill);
    await until(() => backend.status().nodes[0]?.healthy === true);
    await second?.kill();
    expect(await backend.request('eth_blockNumber', [])).toBe('0x0');
  });

  it('does not use a node that is too far behind', async () => {
    const { nodes } = await startTwins();
    const [ahead, behind] = nodes as [Anvil, Anvil];
    await mineOn(nodes, 2);
    const backend = await connect([behind.url, ahead.url], { maxLagBlocks: 3 });
    expect(await backend.request('eth_blockNumber', [])).toBe('0x2');
    await mineOn([ahead], 4, 3);
    await until(() => backend.status().nodes[0]?.healthy === false);
    expect(backend.status().nodes[0]?.problem).toBe('is too far behind');
    expect(await backend.request('eth_blockNumber', [])).toBe('0x6');
    await mineOn([behind], 4, 3);
    await until(() => backend.status().nodes[0]?.healthy === true);
  });

  it('does not let the chain go back when another node takes over', async () => {
    const { nodes } = await startTwins();
    const [ahead, behind] = nodes as [Anvil, Anvil];
    await mineOn(nodes, 2);
    const proxy = await startProxy(behind.url);
    cleanups.push(proxy.close);
    const backend = await connect([proxy.url, ahead.url]);
    await mineOn([ahead], 1, 3);
    await until(() => backend.status().nodes[1]?.blockNumber === 3);
    const heads = [await backend.request('eth_blockNumber', [])];
    proxy.decide = () => 'break';
    heads.push(await backend.request('eth_blockNumber', []));
    proxy.decide = () => 'pass';
    await until(() => backend.status().nodes[0]?.healthy === true);
    for (let round = 0; round < 20; round++) heads.push(await backend.request('eth_blockNumber', []));
    expect(heads).toEqual(heads.toSorted((a, b) => Number(a) - Number(b)));
    expect(heads.at(-1)).toBe('0x3');
  });
});

describe('nodes that do not belong', () => {
  it('never uses a node with another chain id', async () => {
    const own = await start(SAME);
    const other = await start(['--chain-id', '8902']);
    await other.ask('anvil_mine', ['0x64']);
    const spy = await startProxy(other.url);
    cleanups.push(spy.close);
    const backend = await connect([spy.url, own.url]);
    expect(backend.status().nodes[0]).toMatchObject({ healthy: false, problem: `is not on chain ${CHAIN_ID}` });
    expect(await backend.request('eth_blockNumber', [])).toBe('0x0');
    await own.kill();
    await expect(backend.request('eth_blockNumber', [])).rejects.toMatchObject({ code: -32002 });
    expect(spy.bodies.some((body) => body.includes('eth_blockNumber'))).toBe(false);
  });

  it('never uses a node with the same chain id and another first block', async () => {
    const own = await start(SAME);
    const other = await start(['--chain-id', String(CHAIN_ID), '--timestamp', '1600000000']);
    await other.ask('anvil_mine', ['0x64']);
    const backend = await connect([own.url, other.url]);
    expect(backend.status().nodes[1]).toMatchObject({ healthy: false });
    expect(backend.status().nodes[1]?.problem).toContain('first block differs');
    expect(await backend.request('eth_blockNumber', [])).toBe('0x0');
  });

  it('knows the right first block when it is configured', async () => {
    const other = await start(['--chain-id', String(CHAIN_ID), '--timestamp', '1600000000']);
    const backend = await connect([other.url], { genesisHash: `0x${'12'.repeat(32)}` });
    expect(backend.status()).toMatchObject({ available: false, nodes: [{ healthy: false }] });
  });

  it('starts without any node and says what is wrong, without addresses', async () => {
    const backend = await connect(['http://127.0.0.1:1/secret-key']);
    expect(backend.status()).toMatchObject({ available: false, blockNumber: null });
    const error = await backend.request('eth_gasPrice', []).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: -32002 });
    expect(JSON.stringify([backend.status(), String(error)])).not.toContain('secret');
  });
});

describe('one node', () => {
  let anvil: Anvil;
  let proxy: Proxy;
  let backend: Backend;
  beforeAll(async () => {
    anvil = await startAnvil(['--chain-id', String(CHAIN_ID)]);
    proxy = await startProxy(anvil.url);
    backend = await createUpstreamBackend({ urls: [proxy.url], chainId: CHAIN_ID, pollIntervalMs: 50 });
    await anvil.ask('anvil_mine', ['0x14']);
    await until(() => backend.status().blockNumber === 20);
  });
  afterEach(() => {
    proxy.decide = () => 'pass';
    proxy.bodies.length = 0;
  });
  afterAll(async () => {
    await backend.close();
    await proxy.close();
    await anvil.kill();
  });
  const asked = (method: string) => proxy.bodies.join().split(`"${method}"`).length - 1;

  it('asks for what cannot change only once', async () => {
    const block = await backend.request('eth_getBlockByNumber', ['0x5', true]);
    const hash = (block as { hash: Hex }).hash;
    proxy.bodies.length = 0;
    for (let round = 0; round < 3; round++) {
      expect(await backend.request('eth_getBlockByNumber', ['0x5', true])).toEqual(block);
      expect(await backend.request('eth_getBlockByHash', [hash, true])).toEqual(block);
    }
    expect(asked('eth_getBlockByHash')).toBe(1);
    expect(proxy.bodies.some((body) => body.includes('"0x5"'))).toBe(false);
  });

  it('does not keep what may still change, nor what is not there', async () => {
    const unknown = `0x${'ab'.repeat(32)}`;
    for (let round = 0; round < 2; round++) {
      await backend.request('eth_getBlockByNumber', ['0x13', false]);
      await backend.request('eth_getBlockByNumber', ['latest', true]);
      expect(await backend.request('eth_getTransactionReceipt', [unknown])).toBeNull();
      expect(await backend.request('eth_getBlockByHash', [unknown, false])).toBeNull();
    }
    expect(asked('eth_getTransactionReceipt')).toBe(2);
    expect(asked('eth_getBlockByHash')).toBe(2);
    expect(proxy.bodies.filter((body) => body.includes('"0x13"'))).toHaveLength(2);
    expect(proxy.bodies.filter((body) => body.includes('["latest",true]'))).toHaveLength(2);
  });

  it('sends the calls of one moment in one batch', async () => {
    const calls = Array.from({ length: 60 }, (_, index) =>
      backend.request('eth_getBalance', [`0x${(index + 1).toString(16).padStart(40, '0')}`, 'latest']),
    );
    expect(await Promise.all(calls)).toHaveLength(60);
    expect(proxy.bodies.filter((body) => body.includes('eth_getBalance'))).toHaveLength(1);
  });

  it('asks once more when the only node breaks off', async () => {
    let breaks = 1;
    proxy.decide = (body) => (body.includes('eth_gasPrice') && breaks-- > 0 ? 'break' : 'pass');
    expect(await backend.request('eth_gasPrice', [])).toMatch(/^0x/);
  });

  it.each([
    ['another id', '0x6', (id: number) => ({ jsonrpc: '2.0', id: id + 1_000, result: '0x1' })],
    ['no version', '0x7', (id: number) => ({ id, result: { number: '0x7' } })],
    ['neither result nor error', '0x8', (id: number) => ({ jsonrpc: '2.0', id })],
    ['another block', '0x9', (id: number) => ({ jsonrpc: '2.0', id, result: { number: '0x8' } })],
    ['words instead of a block', '0xa', (id: number) => ({ jsonrpc: '2.0', id, result: 'block' })],
  ])('does not believe an answer with %s', async (_, number, lie) => {
    proxy.decide = (body) => {
      if (!body.includes(`"${number}"`)) return 'pass';
      return { answer: JSON.stringify(lie((JSON.parse(body) as { id: number }).id)) };
    };
    await expect(backend.request('eth_getBlockByNumber', [number, false])).rejects.toMatchObject({ code: -32002 });
    proxy.decide = () => 'pass';
    await until(() => backend.status().available);
    expect(await backend.request('eth_getBlockByNumber', [number, false])).toMatchObject({ number });
  });

  it('answers with the errors of the table', async () => {
    const address = RECIPIENT;
    const deployed = await deploy(backend);
    const blocked = await send(backend, { to: deployed, data: blocklist(account.address) });
    await receipt(backend, blocked);
    const transfer = encodeFunctionData({ abi: testUsdcAbi, functionName: 'transfer', args: [RECIPIENT, 0n] });
    const call = { from: account.address, to: deployed, data: transfer };
    const refused = (method: string, params: unknown[]) => expect(backend.request(method, params)).rejects;
    const reverted = {
      code: -32000,
      message: 'execution reverted',
      data: expect.stringMatching(/^0x[0-9a-f]{72}$/),
    };
    await refused('eth_call', [call, 'latest']).toMatchObject(reverted);
    await refused('eth_estimateGas', [call]).toMatchObject(reverted);
    await refused('eth_getBalance', [address, '0xffffff']).toMatchObject({ code: -32001 });
    await refused('eth_getBalance', [address, { blockHash: `0x${'ab'.repeat(32)}` }]).toMatchObject({ code: -32001 });
    await refused('eth_getLogs', [{ blockHash: `0x${'ab'.repeat(32)}` }]).toMatchObject({ code: -32001 });
    await refused('eth_sendRawTransaction', ['0x1234']).toMatchObject({ code: -32003 });
    const poor = privateKeyToAccount(`0x${'77'.repeat(32)}`);
    const base = { to: RECIPIENT, chainId: CHAIN_ID, gas: 21_000n, maxFeePerGas: parseGwei('10') } as const;
    const rejected = async (signer: typeof account, change: object) => {
      const raw = await signer.signTransaction({ ...base, nonce: await nonce(backend), ...change });
      await refused('eth_sendRawTransaction', [raw]).toMatchObject({ code: -32003 });
    };
    await rejected(poor, { value: 1n, nonce: 0 });
    await rejected(account, { nonce: 0, value: 123n });
    await rejected(account, { gas: 20_000n });
    await rejected(account, { chainId: 1 });
  });

  it('takes the same transaction twice', async () => {
    const raw = await sign(await nonce(backend), 5n);
    const hash = await backend.request('eth_sendRawTransaction', [raw]);
    expect(hash).toBe(keccak256(raw));
    await receipt(backend, keccak256(raw));
    expect(await backend.request('eth_sendRawTransaction', [raw])).toBe(hash);
  });

  it('finds a transaction whose answer was lost, and does not send it again', async () => {
    const raw = await sign(await nonce(backend), 6n);
    proxy.decide = (body) => (body.includes('eth_sendRawTransaction') ? 'swallow' : 'pass');
    expect(await backend.request('eth_sendRawTransaction', [raw])).toBe(keccak256(raw));
    expect(asked('eth_sendRawTransaction')).toBe(1);
  });

  it('says so when it is not known what became of a transaction', async () => {
    const next = await nonce(backend);
    const raw = await sign(next, 7n);
    proxy.decide = (body) => (body.includes('eth_sendRawTransaction') ? 'break' : 'pass');
    const error = await backend.request('eth_sendRawTransaction', [raw]).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: -32002, message: expect.stringContaining(keccak256(raw)) });
    proxy.decide = () => 'pass';
    expect(await nonce(backend)).toBe(next);
  });

  it('does not repeat addresses and keys of a node', async () => {
    const message =
      'upstream https://node.example/v3/0123secret at 10.1.2.3:8545 /home/op/key failed: execution failed';
    proxy.decide = (body) => {
      if (!body.includes('eth_maxPriorityFeePerGas')) return 'pass';
      const { id } = JSON.parse(body) as { id: number };
      return { answer: JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32602, message } }) };
    };
    const error = await backend.request('eth_maxPriorityFeePerGas', []).catch((reason: unknown) => reason);
    expect(String(error)).not.toMatch(/secret|10\.1|home|node\.example/);
  });

  it('names who made the latest blocks as validators', async () => {
    expect(await backend.request('partner_getValidators', [])).toEqual([
      { address: '0x0000000000000000000000000000000000000000', active: true },
    ]);
  });
});

describe('the chain as it is told', () => {
  it('tells every block once and in order, and what a reorg took away, newest first', async () => {
    const anvil = await start(['--chain-id', String(CHAIN_ID)]);
    await anvil.ask('anvil_mine', ['0x3']);
    const backend = await connect([anvil.url]);
    const heads: HeadEvent[] = [];
    backend.listen({ onHead: (event) => heads.push(event), onPendingTransaction: ignore, onSyncing: ignore });
    const numbers = () => heads.map(({ header }) => Number(header.number));
    await anvil.ask('anvil_mine', ['0x5']);
    await until(() => heads.length === 5);
    expect(numbers()).toEqual([4, 5, 6, 7, 8]);
    const old = heads.slice(-3).map(({ header }) => header.hash);
    heads.length = 0;
    await anvil.ask('anvil_reorg', [3, []]);
    await until(() => heads.length === 3);
    expect(numbers()).toEqual([6, 7, 8]);
    expect(heads[0]?.removed.map(({ hash }) => hash)).toEqual(old.toReversed());
    expect(heads.slice(1).every(({ removed }) => removed.length === 0)).toBe(true);
    expect(heads.map(({ header }) => header.hash)).not.toEqual(old);
  });

  it('tells a chain that goes back and on another way as a reorg, too', async () => {
    const anvil = await start(['--chain-id', String(CHAIN_ID)]);
    await anvil.ask('anvil_mine', ['0x3']);
    const backend = await connect([anvil.url]);
    const heads: HeadEvent[] = [];
    backend.listen({ onHead: (event) => heads.push(event), onPendingTransaction: ignore, onSyncing: ignore });
    const snapshot = await anvil.ask('evm_snapshot');
    await anvil.ask('anvil_mine', ['0x2']);
    await until(() => heads.length === 2);
    const old = heads.splice(0).map(({ header }) => header.hash);
    await anvil.ask('evm_revert', [snapshot]);
    await pause(200);
    expect(heads).toEqual([]);
    await anvil.ask('evm_increaseTime', [100]);
    await anvil.ask('anvil_mine', ['0x4']);
    await until(() => heads.length === 4);
    expect(heads.map(({ header }) => Number(header.number))).toEqual([4, 5, 6, 7]);
    expect(heads[0]?.removed.map(({ hash }) => hash)).toEqual(old.toReversed());
    for (const [index, { header }] of heads.entries()) {
      if (index > 0) expect(header.parentHash).toBe(heads[index - 1]?.header.hash);
    }
    expect(await backend.request('eth_getBlockByNumber', ['latest', false])).toMatchObject({
      hash: heads.at(-1)?.header.hash,
    });
  });

  it('tells the hashes of pending transactions', async () => {
    const anvil = await start(['--chain-id', String(CHAIN_ID), '--no-mining']);
    const backend = await connect([anvil.url]);
    const hashes: Hex[] = [];
    const stop = backend.listen({
      onHead: ignore,
      onPendingTransaction: (hash) => hashes.push(hash),
      onSyncing: ignore,
    });
    await pause(300);
    const raws = await Promise.all([0, 1, 2].map((next) => sign(next, 1n)));
    for (const raw of raws) await backend.request('eth_sendRawTransaction', [raw]);
    await until(() => hashes.length === 3);
    expect(hashes.toSorted()).toEqual(raws.map((raw) => keccak256(raw)).toSorted());
    stop();
  });

  it('tells when the nodes catch up and when they are done', async () => {
    const anvil = await start(['--chain-id', String(CHAIN_ID)]);
    const proxy = await startProxy(anvil.url);
    cleanups.push(proxy.close);
    const backend = await connect([proxy.url]);
    const states: unknown[] = [];
    backend.listen({ onHead: ignore, onPendingTransaction: ignore, onSyncing: (state) => states.push(state) });
    const syncing = { startingBlock: '0x0', currentBlock: '0x5', highestBlock: '0x64' };
    proxy.decide = (body) => {
      if (!body.includes('eth_syncing')) return 'pass';
      const block = { hash: genesisHash, parentHash: `0x${'0'.repeat(64)}`, number: '0x0', timestamp: '0x1' };
      const results = { eth_chainId: '0x22c5', eth_getBlockByNumber: block, eth_syncing: syncing };
      const calls = JSON.parse(body) as { id: number; method: keyof typeof results }[];
      return {
        answer: JSON.stringify(calls.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: results[method] }))),
      };
    };
    const { hash: genesisHash } = (await anvil.ask('eth_getBlockByNumber', ['0x0', false])) as { hash: Hex };
    await until(() => states.length === 1);
    expect(states).toEqual([syncing]);
    expect(await backend.request('eth_syncing', [])).toEqual(syncing);
    await expect(backend.request('eth_blockNumber', [])).rejects.toMatchObject({ code: -32002 });
    proxy.decide = () => 'pass';
    await until(() => states.length === 2);
    expect(states[1]).toBe(false);
    expect(await backend.request('eth_blockNumber', [])).toBe('0x0');
  });
});

function ignore(): void {
  // Not what the test is about.
}

async function start(args: readonly string[]): Promise<Anvil> {
  const anvil = await startAnvil(args);
  cleanups.push(anvil.kill);
  return anvil;
}

async function startTwins(): Promise<{ nodes: Anvil[] }> {
  return { nodes: await Promise.all([start(SAME), start(SAME)]) };
}

async function connect(urls: readonly string[], options: Partial<UpstreamOptions> = {}): Promise<Backend> {
  const backend = await createUpstreamBackend({ urls, chainId: CHAIN_ID, pollIntervalMs: 50, ...options });
  cleanups.push(() => backend.close());
  return backend;
}

/** Mines the same blocks on every node: their times are what could differ. */
async function mineOn(nodes: readonly Anvil[], count: number, first = 1): Promise<void> {
  for (let block = first; block < first + count; block++) {
    for (const node of nodes) await node.ask('evm_mine', [{ timestamp: GENESIS_TIME + block }]);
  }
}

async function nonce(backend: Backend): Promise<number> {
  return Number(await backend.request('eth_getTransactionCount', [account.address, 'pending']));
}

async function sign(next: number, value: bigint): Promise<Hex> {
  const fees = { maxFeePerGas: parseGwei('10'), maxPriorityFeePerGas: parseGwei('1') };
  return account.signTransaction({ to: RECIPIENT, value, nonce: next, gas: 21_000n, chainId: CHAIN_ID, ...fees });
}

async function send(backend: Backend, transaction: { to?: Hex; data: Hex }): Promise<Hex> {
  const fees = { maxFeePerGas: parseGwei('10'), maxPriorityFeePerGas: parseGwei('1') };
  const next = await nonce(backend);
  const raw = await account.signTransaction({
    nonce: next,
    gas: 2_000_000n,
    chainId: CHAIN_ID,
    ...fees,
    ...transaction,
  });
  return (await backend.request('eth_sendRawTransaction', [raw])) as Hex;
}

async function deploy(backend: Backend): Promise<Hex> {
  const hash = await send(backend, { data: encodeDeployData({ abi: testUsdcAbi, bytecode: testUsdcBytecode }) });
  return (await receipt(backend, hash)).contractAddress;
}

function blocklist(address: Hex): Hex {
  return encodeFunctionData({ abi: testUsdcAbi, functionName: 'setBlocklisted', args: [address, true] });
}

async function receipt(backend: Backend, hash: Hex): Promise<{ contractAddress: Hex }> {
  for (let round = 0; round < 200; round++) {
    const found = await backend.request('eth_getTransactionReceipt', [hash]);
    if (found !== null) return found as { contractAddress: Hex };
    await pause(25);
  }
  throw new Error(`no receipt of ${hash}`);
}

async function until(condition: () => boolean): Promise<void> {
  for (let round = 0; round < 400; round++) {
    if (condition()) return;
    await pause(25);
  }
  throw new Error('it did not come to pass within ten seconds');
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
