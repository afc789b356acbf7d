import { definePartnerChain } from '@causeway/protocol';
import { type GatewayProcess, testKey } from '@causeway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPublicClient, createWalletClient, http, numberToHex, pad, parseEther, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { startEmbeddedGateway } from '../setup/gateway.js';

/** Forwards its value to the address in its input: PUSH0 ×4 CALLVALUE PUSH0 CALLDATALOAD GAS CALL STOP. */
const FORWARDER: Hex = '0x695f5f5f5f345f355af1005f52600a6016f3';
const OWNER = privateKeyToAccount(testKey(0));
const PAYEE: Hex = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';

interface Action {
  readonly index: number;
  readonly recipient: Hex | null;
  readonly value: number;
}
interface Page {
  readonly actions: readonly Action[];
  readonly links: { readonly next: string | null };
}

let gateway: GatewayProcess;
let forwarder: Hex;
let paid: Hex;
let destroyed: Hex;

const get = (path: string) => fetch(new URL(path, gateway.httpUrl));
const fetchResult = (hash: string, rest = '') => get(`/api/v1/contracts/results/${hash}${rest}`);

beforeAll(async () => {
  gateway = await startEmbeddedGateway();
  const chain = definePartnerChain({ environment: 'testnet', rpcUrl: gateway.httpUrl });
  const client = createPublicClient({ chain, transport: http(), pollingInterval: 50 });
  const wallet = createWalletClient({ chain, transport: http(), account: OWNER });
  const mined = async (hash: Hex) => client.waitForTransactionReceipt({ hash });
  const { contractAddress } = await mined(await wallet.sendTransaction({ data: FORWARDER }));
  forwarder = contractAddress!;
  paid = await wallet.sendTransaction({ to: forwarder, data: pad(PAYEE), value: parseEther('3') });
  await mined(paid);
  destroyed = await wallet.sendTransaction({ data: `0x73${PAYEE.slice(2)}ff`, value: parseEther('2') });
  await mined(destroyed);
});
afterAll(() => gateway?.stop());

describe('the mirror endpoints', () => {
  it('show the payment a contract made, with its value in units of 8 decimals', async () => {
    const response = await fetchResult(paid, '/actions');
    expect(response.headers.get('content-type')).toContain('application/json');
    const owner = OWNER.address.toLowerCase();
    expect(await response.json()).toEqual({
      actions: [
        {
          call_depth: 0,
          call_operation_type: 'CALL',
          call_type: 'CALL',
          caller: owner,
          caller_type: 'ACCOUNT',
          from: owner,
          gas: expect.any(Number),
          gas_used: expect.any(Number),
          index: 0,
          input: pad(PAYEE),
          recipient: forwarder,
          recipient_type: 'CONTRACT',
          result_data: '0x',
          result_data_type: 'OUTPUT',
          timestamp: expect.stringMatching(/^\d{10}\.000000000$/),
          to: forwarder,
          value: 300_000_000,
        },
        expect.objectContaining({
          call_depth: 1,
          call_operation_type: 'CALL',
          caller: forwarder,
          caller_type: 'CONTRACT',
          from: forwarder,
          index: 1,
          recipient: PAYEE,
          recipient_type: 'ACCOUNT',
          to: PAYEE,
          value: 300_000_000,
        }),
      ],
      links: { next: null },
    });
  });

  it('list only messages; debug_traceTransaction also shows the balance moved by a self-destruction', async () => {
    const page = (await (await fetchResult(destroyed, '/actions')).json()) as Page;
    expect(page.actions).toMatchObject([{ index: 0, call_operation_type: 'CREATE' }]);
    const params = [destroyed, { tracer: 'callTracer' }];
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug_traceTransaction', params });
    const headers = { 'content-type': 'application/json' };
    const traced = await (await fetch(gateway.httpUrl, { method: 'POST', headers, body })).json();
    expect(traced).toMatchObject({ result: { type: 'CREATE' } });
    expect((traced as { result: { calls: unknown } }).result.calls).toEqual([
      {
        type: 'SELFDESTRUCT',
        from: page.actions[0]?.recipient,
        to: PAYEE,
        value: numberToHex(parseEther('2')),
        gas: '0x0',
        gasUsed: '0x0',
        input: '0x',
      },
    ]);
  });

  it('link from page to page, in either order', async () => {
    const first = (await (await fetchResult(paid, '/actions?limit=1&order=desc')).json()) as Page;
    expect(first.actions.map(({ index }) => index)).toEqual([1]);
    const second = (await (await get(first.links.next!)).json()) as Page;
    expect(second).toMatchObject({ actions: [{ index: 0 }], links: { next: null } });
    const one = (await (await fetchResult(paid, '/actions?index=eq:1')).json()) as Page;
    expect(one.actions.map(({ index }) => index)).toEqual([1]);
  });

  it('show the outcome of a transaction', async () => {
    expect(await (await fetchResult(paid.slice(2))).json()).toMatchObject({
      hash: paid,
      result: 'SUCCESS',
      status: '0x1',
      amount: 300_000_000,
      from: OWNER.address.toLowerCase(),
      to: forwarder,
      address: forwarder,
      chain_id: '0x22c5',
      error_message: null,
      function_parameters: pad(PAYEE),
      logs: [],
      nonce: 1,
      transaction_index: 0,
      type: 2,
    });
  });

  it.each([
    [`0x${'12'.repeat(32)}`, 404, 'Not found'],
    [`0x${'12'.repeat(32)}/actions`, 404, 'Not found'],
    ['0x12', 400, 'Invalid parameter: transactionIdOrHash'],
    [`0x${'12'.repeat(32)}/actions?limit=x`, 400, 'Invalid parameter: limit'],
  ])('answer %s with %i', async (path, status, message) => {
    const response = await fetchResult(path);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ _status: { messages: [{ message }] } });
  });

  it("count among a client's calls", async () => {
    const limited = await startEmbeddedGateway({ RATE_LIMIT_PER_MINUTE: '2' });
    try {
      const ask = () => fetch(new URL(`/api/v1/contracts/results/${paid}`, limited.httpUrl));
      const statuses = [(await ask()).status, (await ask()).status];
      const refused = await ask();
      expect([...statuses, refused.status]).toEqual([404, 404, 429]);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await refused.json()).toEqual({
        _status: { messages: [{ message: expect.stringContaining('try again') }] },
      });
    } finally {
      await limited.stop();
    }
  });
});
