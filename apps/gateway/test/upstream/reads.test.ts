import { type Anvil, type GatewayProcess, startAnvil, startGateway } from '@causeway/test-kit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeFunctionData, type Hex } from 'viem';
import { testUsdcAbi } from '@causeway/contracts/abi';
import { createUpstreamBackend } from '../../src/backends/upstream/create-upstream-backend.js';
import { startProxy, type Proxy } from '../setup/proxy.js';
import { Payer } from '../setup/payer.js';
import { UpstreamNodes } from '../setup/upstream-nodes.js';

const world = new UpstreamNodes();
const payer = new Payer(world.chainId);
const call = (id: number, method: string, params: readonly unknown[]) => ({ jsonrpc: '2.0', id, method, params });

describe('reads of a node', () => {
  let anvil: Anvil;
  let proxy: Proxy;
  let gateway: GatewayProcess;
  let token: Hex;
  beforeAll(async () => {
    anvil = await startAnvil({ chainId: world.chainId });
    proxy = await startProxy(anvil.url);
    const backend = await createUpstreamBackend({ urls: [anvil.url], chainId: world.chainId });
    token = await payer.deployToken(backend);
    await backend.close();
    gateway = await startGateway({
      BACKEND: 'upstream',
      UPSTREAM_URLS: proxy.url,
      CHAIN_ID: String(world.chainId),
      LOG_LEVEL: 'silent',
    });
  });
  afterEach(() => {
    proxy.decide = () => 'pass';
  });
  afterAll(async () => {
    await gateway?.stop();
    await proxy?.close();
    await anvil?.stop();
  });

  const ask = async (body: string): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(gateway.httpUrl, { method: 'POST', headers, body });
    return answer.json();
  };
  const reads = () => {
    const { address } = payer.account;
    const balance = {
      to: token,
      data: encodeFunctionData({ abi: testUsdcAbi, functionName: 'balanceOf', args: [address] }),
    };
    const transfer = encodeFunctionData({ abi: testUsdcAbi, functionName: 'transfer', args: [address, 1n << 200n] });
    return [
      call(1, 'eth_call', [balance, 'latest']),
      call(2, 'eth_getBalance', [address, 'latest']),
      call(3, 'eth_getTransactionCount', [address, 'pending']),
      call(4, 'eth_getCode', [token, '0x1']),
      call(5, 'eth_getStorageAt', [token, `0x${'0'.repeat(64)}`, 'latest']),
      call(6, 'eth_estimateGas', [balance, 'latest']),
      call(7, 'eth_blockNumber', []),
      call(8, 'eth_gasPrice', []),
      call(11, 'eth_maxPriorityFeePerGas', []),
      // Reverts, and asks for a block that does not exist.
      call(9, 'eth_call', [{ from: address, to: token, data: transfer }, 'latest']),
      call(10, 'eth_getBalance', [address, '0xffffff']),
    ];
  };

  it('are answered with hex, and with the errors of the table', async () => {
    expect(await ask(JSON.stringify(reads()))).toMatchObject([
      ...[1, 2, 3, 4, 5, 6, 7, 8, 11].map((id) => ({ id, result: expect.stringMatching(/^0x[0-9a-f]+$/) })),
      { id: 9, error: { code: -32000, data: expect.stringMatching(/^0x/) } },
      { id: 10, error: { code: -32001 } },
    ]);
  });

  it('are asked again one by one when the node breaks off', async () => {
    const calls = reads();
    const before = await ask(JSON.stringify(calls));
    let breaks = 0;
    proxy.decide = (body) => {
      if (!body.startsWith('[') || !calls.some(({ method }) => body.includes(method))) return 'pass';
      breaks += 1;
      return 'break';
    };
    proxy.bodies.length = 0;
    expect(await ask(JSON.stringify(calls))).toEqual(before);
    expect(breaks).toBeGreaterThan(0);
    for (const { method } of calls) {
      expect(proxy.bodies.some((body) => body.startsWith('{') && body.includes(`"${method}"`))).toBe(true);
    }
  });

  /** Has the node answer calls of the method with something of its own. */
  const lie = (method: string, result: string) => {
    proxy.decide = (body) => {
      if (!body.includes(method)) return 'pass';
      const asked = [JSON.parse(body)].flat() as { id: number }[];
      const answers = asked.map(({ id }) => `{"jsonrpc":"2.0","id":${id},"result":${result}}`);
      return { answer: body.startsWith('[') ? `[${answers.join(',')}]` : answers.join('') };
    };
  };
  /** Until the node is believed again. */
  const untilTrusted = async () => {
    proxy.decide = () => 'pass';
    for (let round = 0; round < 100; round++) {
      const { result } = (await ask(JSON.stringify(call(1, 'eth_getCode', [token, 'latest'])))) as { result?: string };
      if (result !== undefined) return;
      await world.pause(50);
    }
    throw new Error('The node was not asked again');
  };
  const failed = (id: number) => ({ id, error: { code: -32002 } });

  it.each([
    ['no hex', '"0xnothex"'],
    ['a text that would end the answer', '"0x\\",\\"id\\":2"'],
    ['an odd number of digits', '"0x123"'],
    ['null', 'null'],
    ['an object', '{"0x":1}'],
  ])('are not answered with %s', async (_what, result) => {
    lie('eth_getCode', result);
    const code = (id: number) => call(id, 'eth_getCode', [token, 'latest']);
    expect(await ask(JSON.stringify([code(1), code(2)]))).toMatchObject([failed(1), failed(2)]);
    await untilTrusted();
  });

  it('are answered with hex only, whichever they are', async () => {
    const all = new Map(reads().map(({ method, params }) => [method, params]));
    for (const [method, params] of all) {
      for (const result of ['"0x\\",\\"id\\":2"', '["0x1"]', '{"toString":"0x1"}']) {
        lie(method, result);
        expect(await ask(JSON.stringify(call(1, method, params)))).toMatchObject(failed(1));
        const two = [call(1, method, params), call(2, method, params)];
        expect(await ask(JSON.stringify(two))).toMatchObject([failed(1), failed(2)]);
        await untilTrusted();
      }
    }
  });
});
