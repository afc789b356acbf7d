import { definePartnerChain } from '@causeway/protocol';
import { type GatewayProcess, testKey } from '@causeway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPublicClient, createWalletClient, http, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { startEmbeddedGateway } from '../setup/gateway.js';

/**
 * Calls an account without code 2,000 times: PUSH2 2000, JUMPDEST, PUSH0 ×5 PUSH1 0xff GAS CALL POP, one less, and
 * again while there are any.
 */
const CHATTER: Hex = '0x6107d05b5f5f5f5f5f60ff5af150600190038060035700';
/** Reverts with 64 KiB: PUSH2 0xffff PUSH0 REVERT. */
const LONG_REVERT: Hex = '0x61ffff5ffd';

interface Page {
  readonly actions: readonly { readonly index: number; readonly result_data: Hex | null }[];
  readonly links: { readonly next: string | null };
  readonly _status?: { readonly messages: readonly { readonly message: string }[] };
}

let gateway: GatewayProcess;
let chatter: Hex;
let longRevert: Hex;
let whole: Hex;

const get = (path: string) => fetch(new URL(path, gateway.httpUrl));
const fetchResult = (hash: Hex, rest = '') => get(`/api/v1/contracts/results/${hash}${rest}`);

async function trace(hash: Hex, tracerConfig = {}): Promise<unknown> {
  const params = [hash, { tracer: 'callTracer', tracerConfig }];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug_traceTransaction', params });
  const headers = { 'content-type': 'application/json' };
  return await (await fetch(gateway.httpUrl, { method: 'POST', headers, body })).json();
}

beforeAll(async () => {
  gateway = await startEmbeddedGateway();
  const account = privateKeyToAccount(testKey(0));
  const transport = http(gateway.httpUrl);
  const chain = definePartnerChain({ environment: 'testnet', rpcUrl: gateway.httpUrl });
  const client = createPublicClient({ chain, transport, pollingInterval: 50 });
  const wallet = createWalletClient({ chain, transport, account });
  const send = async (data: Hex): Promise<Hex> => {
    const hash = await wallet.sendTransaction({ data, gas: 1_000_000n });
    await client.waitForTransactionReceipt({ hash });
    return hash;
  };
  chatter = await send(CHATTER);
  longRevert = await send(LONG_REVERT);
  whole = await send('0x00');
});
afterAll(() => gateway?.stop());

describe('a call tree that was not stored completely', () => {
  it('is a 206 on every page, with the number of missing messages', async () => {
    const pages: Page[] = [];
    let next: string | null = `/api/v1/contracts/results/${chatter}/actions?limit=100`;
    while (next !== null) {
      const response = await get(next);
      expect(response.status).toBe(206);
      expect(response.headers.get('content-type')).toContain('application/json');
      const page = (await response.json()) as Page;
      pages.push(page);
      ({ next } = page.links);
    }
    const shown = pages.flatMap(({ actions }) => actions).length;
    expect(shown).toBeGreaterThan(100);
    expect(shown).toBeLessThan(2_001);
    for (const page of pages) {
      expect(page).toEqual({
        actions: expect.any(Array),
        links: { next: page === pages.at(-1) ? null : expect.any(String) },
        _status: { messages: [{ message: expect.stringContaining(` ${2_001 - shown} of its messages`) }] },
      });
    }
    expect((await fetchResult(chatter, '/actions?index=eq:5000')).status).toBe(206);
  });

  it('gets -32001 from debug_traceTransaction, never "try again"; its outermost call is available', async () => {
    expect(await trace(chatter)).toMatchObject({
      error: {
        code: -32001,
        message: expect.stringMatching(`never will be available; GET .*/${chatter}/actions.*onlyTopCall`),
      },
    });
    expect(await trace(chatter, { onlyTopCall: true })).toMatchObject({ result: { type: 'CREATE' } });
  });

  it('has no output if it is missing', async () => {
    const response = await fetchResult(longRevert, '/actions');
    expect(response.status).toBe(206);
    expect(((await response.json()) as Page).actions).toMatchObject([
      { index: 0, result_data: null, result_data_type: 'REVERT_REASON' },
    ]);
    const result = await (await fetchResult(longRevert)).json();
    expect(result).toMatchObject({ call_result: null, error_message: 'revert', result: 'CONTRACT_REVERT_EXECUTED' });
    for (const onlyTopCall of [false, true]) {
      expect(await trace(longRevert, { onlyTopCall })).toMatchObject({ error: { code: -32001 } });
    }
  });
});

it('a complete call tree is a 200 without a status', async () => {
  const response = await fetchResult(whole, '/actions');
  expect(response.status).toBe(200);
  expect(Object.keys((await response.json()) as Page)).toEqual(['actions', 'links']);
  expect(await (await fetchResult(whole)).json()).toMatchObject({ call_result: '0x', error_message: null });
  expect(await trace(whole)).toMatchObject({ result: { type: 'CREATE' } });
});
