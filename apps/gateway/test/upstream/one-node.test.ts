import { type Anvil, startAnvil, waitUntil } from '@causeway/test-kit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeFunctionData, keccak256, parseGwei, type Hex } from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { testUsdcAbi } from '@causeway/contracts/abi';
import type { Backend } from '../../src/backends/backend.js';
import { createUpstreamBackend } from '../../src/backends/upstream/upstream-backend.js';
import { startProxy, type Proxy, type ProxyAction } from '../setup/proxy.js';
import { Payer } from '../setup/payer.js';
import { UpstreamFixture } from '../setup/upstream-fixture.js';

const RECIPIENT = '0x00000000000000000000000000000000000c0ffe';
const fixture = new UpstreamFixture();
const payer = new Payer(fixture.chainId);

describe('one node', () => {
  let anvil: Anvil;
  let proxy: Proxy;
  let backend: Backend;
  beforeAll(async () => {
    anvil = await startAnvil({ chainId: fixture.chainId });
    proxy = await startProxy(anvil.url);
    backend = await createUpstreamBackend({ urls: [proxy.url], chainId: fixture.chainId, pollIntervalMs: 50 });
    await anvil.request('anvil_mine', ['0x14']);
    await fixture.until(() => backend.status().blockNumber === 20);
  });
  afterEach(() => {
    proxy.decide = () => 'pass';
    proxy.bodies.length = 0;
  });
  afterAll(async () => {
    await backend?.close();
    await proxy?.close();
    await anvil?.stop();
  });
  const asked = (method: string) => proxy.bodies.join().split(`"${method}"`).length - 1;

  it('asks for an immutable result only once', async () => {
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

  it('does not treat a block as final because of an unverified block number', async () => {
    proxy.decide = (body) => {
      const lie = { jsonrpc: '2.0', result: '0x10000' };
      // In a batch, or alone.
      const calls = [JSON.parse(body) as { id: number; method: string }].flat();
      if (!calls.every(({ method }) => method === 'eth_blockNumber')) return 'pass';
      const answers = calls.map(({ id }) => ({ ...lie, id }));
      return { answer: JSON.stringify(body.startsWith('[') ? answers : answers[0]) };
    };
    expect(await backend.request('eth_blockNumber', [])).toBe('0x10000');
    expect(await backend.request('eth_getBlockByNumber', ['finalized', false])).toMatchObject({ number: '0xf' });
    // The next test starts from the true head.
    proxy.decide = () => 'pass';
    await waitUntil('the chain has come back', () => backend.status().blockNumber === 20);
  });

  it('does not cache null or results that can change', async () => {
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

  it('sends the calls of one turn of the event loop in one batch', async () => {
    const calls = Array.from({ length: 60 }, (_, index) =>
      backend.request('eth_getBalance', [`0x${(index + 1).toString(16).padStart(40, '0')}`, 'latest']),
    );
    expect(await Promise.all(calls)).toHaveLength(60);
    expect(proxy.bodies.filter((body) => body.includes('eth_getBalance'))).toHaveLength(1);
  });

  it('retries once when the only node breaks off', async () => {
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
  ])('rejects an answer with %s', async (_, number, lie) => {
    proxy.decide = (body) => {
      if (!body.includes(`"${number}"`)) return 'pass';
      return { answer: JSON.stringify(lie((JSON.parse(body) as { id: number }).id)) };
    };
    await expect(backend.request('eth_getBlockByNumber', [number, false])).rejects.toMatchObject({ code: -32002 });
    proxy.decide = () => 'pass';
    await fixture.until(() => backend.status().available);
    expect(await backend.request('eth_getBlockByNumber', [number, false])).toMatchObject({ number });
  });

  it('reports an oversized answer as an error of the call, not of the node', async () => {
    const careful = await createUpstreamBackend({
      urls: [proxy.url],
      chainId: fixture.chainId,
      pollIntervalMs: 60_000,
      maxResponseBytes: 10_000,
    });
    try {
      proxy.decide = (body) => {
        if (!body.includes('eth_getLogs') && !body.includes('eth_getCode')) return 'pass';
        return { answer: JSON.stringify({ jsonrpc: '2.0', id: 1, result: `0x${'00'.repeat(10_000)}` }) };
      };
      const tooLong = { code: -32005, message: expect.stringContaining('response size exceeded') };
      await expect(careful.request('eth_getLogs', [{ fromBlock: '0x0' }])).rejects.toMatchObject(tooLong);
      expect(asked('eth_getLogs')).toBe(1);
      // A call of the batch is retried alone, and the others are answered.
      const price = careful.request('eth_gasPrice', []);
      await expect(careful.request('eth_getCode', [RECIPIENT, 'latest'])).rejects.toMatchObject(tooLong);
      expect(await price).toMatch(/^0x/);
      expect(careful.status()).toMatchObject({ available: true, nodes: [{ healthy: true, problem: null }] });
    } finally {
      await careful.close();
    }
  });

  it('maps errors of a node to the error table', async () => {
    const address = RECIPIENT;
    const deployed = await payer.deployToken(backend);
    const blocked = await payer.send(backend, { to: deployed, data: blocklist(payer.account.address) });
    await payer.receipt(backend, blocked);
    const transfer = encodeFunctionData({ abi: testUsdcAbi, functionName: 'transfer', args: [RECIPIENT, 0n] });
    const call = { from: payer.account.address, to: deployed, data: transfer };
    const refused = (method: string, params: unknown[], error: object) =>
      expect(backend.request(method, params)).rejects.toMatchObject(error);
    const reverted = {
      code: -32000,
      message: 'execution reverted',
      data: expect.stringMatching(/^0x[0-9a-f]{72}$/),
    };
    await refused('eth_call', [call, 'latest'], reverted);
    await refused('eth_estimateGas', [call], reverted);
    await refused('eth_getBalance', [address, '0xffffff'], { code: -32001 });
    await refused('eth_getBalance', [address, { blockHash: `0x${'ab'.repeat(32)}` }], { code: -32001 });
    await refused('eth_getLogs', [{ blockHash: `0x${'ab'.repeat(32)}` }], { code: -32001 });
    await refused('eth_sendRawTransaction', ['0x1234'], { code: -32003 });
    const poor = privateKeyToAccount(`0x${'77'.repeat(32)}`);
    const base = { to: RECIPIENT, chainId: fixture.chainId, gas: 21_000n, maxFeePerGas: parseGwei('10') } as const;
    const rejected = async (signer: PrivateKeyAccount, change: object) => {
      const raw = await signer.signTransaction({ ...base, nonce: await payer.nonce(backend), ...change });
      await refused('eth_sendRawTransaction', [raw], { code: -32003 });
    };
    await rejected(poor, { value: 1n, nonce: 0 });
    await rejected(payer.account, { nonce: 0, value: 123n });
    await rejected(payer.account, { gas: 20_000n });
    await rejected(payer.account, { chainId: 1 });
  });

  it('sends transactions to the node in order, one request at a time', async () => {
    const node = await fixture.start({ args: ['--no-mining'] });
    const slow = await startProxy(node.url);
    fixture.endWith(slow.close);
    const patient = await fixture.connect([slow.url], { maxBatchCalls: 10 });
    const raws = await Promise.all(Array.from({ length: 35 }, (_, nonce) => payer.sign(nonce, RECIPIENT, 1n)));
    let underWay = 0;
    const seen: number[] = [];
    slow.decide = async (body): Promise<ProxyAction> => {
      if (!body.includes('eth_sendRawTransaction')) return 'pass';
      seen.push(++underWay);
      // The first takes longest, so a request that did not wait for it would overtake it.
      await fixture.pause(seen.length === 1 ? 200 : 10);
      underWay--;
      return 'pass';
    };
    const hashes = await Promise.all(raws.map((raw) => patient.request('eth_sendRawTransaction', [raw])));
    expect(hashes).toEqual(raws.map((raw) => keccak256(raw)));
    expect(seen).toEqual([1, 1, 1, 1]);
    const sent = slow.bodies.flatMap((body) => [...body.matchAll(/"(0x02[0-9a-f]+)"/g)].map(([, raw]) => raw));
    expect(sent).toEqual(raws);
  });

  it('returns call trees only, and no result of another tracer', async () => {
    const hash = await payer.send(backend, { to: RECIPIENT, data: '0x' });
    await payer.receipt(backend, hash);
    const trace = (of: Hex, options: object) => backend.request('debug_traceTransaction', [of, options]);
    expect(await trace(hash, { tracer: 'callTracer' })).toMatchObject({ type: 'CALL', to: RECIPIENT });
    // Without options, the node responds like one without the tracer.
    await expect(trace(hash, {})).rejects.toMatchObject({ code: -32004 });
    await expect(trace(`0x${'ab'.repeat(32)}`, { tracer: 'callTracer' })).rejects.toMatchObject({ code: -32001 });
  });

  it('accepts the same transaction twice', async () => {
    const raw = await payer.sign(await payer.nonce(backend), RECIPIENT, 5n);
    const hash = await backend.request('eth_sendRawTransaction', [raw]);
    expect(hash).toBe(keccak256(raw));
    await payer.receipt(backend, keccak256(raw));
    expect(await backend.request('eth_sendRawTransaction', [raw])).toBe(hash);
  });

  it('finds a transaction whose response was lost, and does not resend it', async () => {
    const raw = await payer.sign(await payer.nonce(backend), RECIPIENT, 6n);
    proxy.decide = (body) => (body.includes('eth_sendRawTransaction') ? 'swallow' : 'pass');
    expect(await backend.request('eth_sendRawTransaction', [raw])).toBe(keccak256(raw));
    expect(asked('eth_sendRawTransaction')).toBe(1);
  });

  it('reports when the outcome of a transaction is unknown', async () => {
    const next = await payer.nonce(backend);
    const raw = await payer.sign(next, RECIPIENT, 7n);
    proxy.decide = (body) => (body.includes('eth_sendRawTransaction') ? 'break' : 'pass');
    const error = await backend.request('eth_sendRawTransaction', [raw]).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: -32002, message: expect.stringContaining(keccak256(raw)) });
    proxy.decide = () => 'pass';
    expect(await payer.nonce(backend)).toBe(next);
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

  it('returns the producers of the latest blocks as validators', async () => {
    expect(await backend.request('partner_getValidators', [])).toEqual([
      { address: '0x0000000000000000000000000000000000000000', active: true },
    ]);
  });
});

function blocklist(address: Hex): Hex {
  return encodeFunctionData({ abi: testUsdcAbi, functionName: 'setBlocklisted', args: [address, true] });
}
