import { type Anvil, startAnvil } from '@causeway/test-kit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeFunctionData, type Hex } from 'viem';
import { testUsdcAbi } from '@causeway/contracts/abi';
import type { Backend } from '../../src/backends/backend.js';
import { createUpstreamBackend } from '../../src/backends/upstream/upstream-backend.js';
import { startProxy, type Proxy } from '../setup/proxy.js';
import { Payer } from '../setup/payer.js';
import { UpstreamFixture } from '../setup/upstream-fixture.js';

const fixture = new UpstreamFixture();
const payer = new Payer(fixture.chainId);
const UNAVAILABLE = { status: 'rejected', reason: { code: -32002 } };

describe('reads of a batch', () => {
  let anvil: Anvil;
  let proxy: Proxy;
  let backend: Backend;
  let token: Hex;
  beforeAll(async () => {
    anvil = await startAnvil({ chainId: fixture.chainId });
    proxy = await startProxy(anvil.url);
    backend = await createUpstreamBackend({ urls: [proxy.url], chainId: fixture.chainId });
    token = await payer.deployToken(backend);
  });
  afterEach(() => {
    proxy.decide = () => 'pass';
  });
  afterAll(async () => {
    await backend?.close();
    await proxy?.close();
    await anvil?.stop();
  });

  const reads = (): (readonly [method: string, params: readonly unknown[]])[] => {
    const { address } = payer.account;
    const data = encodeFunctionData({ abi: testUsdcAbi, functionName: 'balanceOf', args: [address] });
    const transfer = encodeFunctionData({ abi: testUsdcAbi, functionName: 'transfer', args: [address, 1n << 200n] });
    return [
      ['eth_call', [{ to: token, data }, 'latest']],
      ['eth_getBalance', [address, 'latest']],
      ['eth_getTransactionCount', [address, 'pending']],
      ['eth_getCode', [token, '0x1']],
      ['eth_getStorageAt', [token, `0x${'0'.repeat(64)}`, 'latest']],
      ['eth_estimateGas', [{ to: token, data }, 'latest']],
      ['eth_blockNumber', []],
      ['eth_gasPrice', []],
      ['eth_maxPriorityFeePerGas', []],
      // A call that reverts, and a call at an unknown block.
      ['eth_call', [{ from: address, to: token, data: transfer }, 'latest']],
      ['eth_getBalance', [address, '0xffffff']],
    ];
  };
  const ask = (calls: readonly (readonly [string, readonly unknown[]])[]) =>
    Promise.allSettled(calls.map(([method, params]) => backend.request(method, params)));

  it('are answered individually', async () => {
    expect(await ask(reads())).toMatchObject([
      ...Array.from({ length: 9 }, () => ({ status: 'fulfilled', value: expect.stringMatching(/^0x[0-9a-f]+$/) })),
      { reason: { code: -32000, data: expect.stringMatching(/^0x/) } },
      { reason: { code: -32001 } },
    ]);
  });

  it('are retried one by one when the node breaks off', async () => {
    const calls = reads();
    const before = await ask(calls);
    let breaks = 0;
    proxy.decide = (body) => {
      if (!body.startsWith('[') || !calls.some(([method]) => body.includes(method))) return 'pass';
      breaks += 1;
      return 'break';
    };
    proxy.bodies.length = 0;
    expect(await ask(calls)).toEqual(before);
    expect(breaks).toBeGreaterThan(0);
    for (const [method, params] of calls) {
      const text = `"method":"${method}","params":${JSON.stringify(params)}}`;
      expect(proxy.bodies.some((body) => body.startsWith('{') && body.endsWith(text))).toBe(true);
    }
  });

  /** Makes the node answer calls of the method with another result. */
  const lie = (method: string, result: string) => {
    proxy.decide = (body) => {
      if (!body.includes(method)) return 'pass';
      const asked = [JSON.parse(body)].flat() as { id: number }[];
      const answers = asked.map(({ id }) => `{"jsonrpc":"2.0","id":${id},"result":${result}}`);
      return { answer: body.startsWith('[') ? `[${answers.join(',')}]` : answers.join('') };
    };
  };

  it.each([
    ['a string that is not hex', '"0xnothex"'],
    ['a string that would end the response', '"0x\\",\\"id\\":2"'],
    ['an odd number of digits', '"0x123"'],
    ['null', 'null'],
    ['an object', '{"0x":1}'],
  ])('are not answered with %s', async (_, result) => {
    lie('eth_getCode', result);
    const calls = [token, payer.account.address].map((address) => ['eth_getCode', [address, 'latest']] as const);
    expect(await ask(calls)).toMatchObject([UNAVAILABLE, UNAVAILABLE]);
  });

  it('are answered only with hex, for every method', async () => {
    for (const [method, params] of new Map(reads())) {
      for (const result of ['"0x\\",\\"id\\":2"', '["0x1"]', '{"toString":"0x1"}']) {
        lie(method, result);
        expect(await ask([[method, params]])).toMatchObject([UNAVAILABLE]);
      }
    }
  });
});
