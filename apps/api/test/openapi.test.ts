import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { lower } from '@causeway/chain';
import { parseAmount, computeRefundId, type IntentResponse } from '@causeway/protocol';
import type { PublishedReserves } from '@causeway/store';
import { aDelivery, aDeposit, aTransfer, opening, paying } from '@causeway/store/test';
import { aHash, anAddress, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { zeroHash } from 'viem';
import type { Example } from '../src/openapi/document.js';
import { ENDPOINTS } from '../src/openapi/endpoints.js';
import { alice, signIntent } from './signed-intent.js';
import { temporaryApi, type TemporaryApi } from './temporary-api.js';
import { temporaryBridge, type TemporaryBridge } from './temporary-bridge.js';

// The document's examples are recorded by this test. WRITE_EXAMPLES=1 rewrites them.

const FILE = new URL('../src/openapi/examples.json', import.meta.url);

let bridge: TemporaryBridge;
let api: TemporaryApi;
beforeAll(async () => {
  bridge = await temporaryBridge();
  api = await temporaryApi(bridge);
});
afterAll(async () => {
  await api?.close();
  await bridge?.stop();
});

/** Sends the example request of an endpoint. */
async function ask(operationId: string, request: Omit<Example, 'response'> = {}): Promise<Example> {
  const endpoint = ENDPOINTS.find((each) => each.operationId === operationId)!;
  const path = endpoint.path.replace(/\{(\w+)\}/, (_, name: string) => request.parameters?.[name] ?? '');
  const query = request.query === undefined ? '' : `?${new URLSearchParams(request.query).toString()}`;
  const url = `/api/v1${path}${query}`;
  const { status, body } = await (endpoint.method === 'get' ? api.get(url) : api.post(url, request.body));
  expect({ operationId, status, body }).toMatchObject({ status: 200 });
  return { ...request, response: body };
}

/** Stores a delivered deposit. Returns its terms and origin hash. */
async function delivered() {
  const amount = parseAmount('ETH', '1.5');
  const terms = aDeposit({ asset: 'ETH', amount, sender: lower(alice.address), recipient: anAddress('recipient') });
  const txHash = aHash();
  const origin = await api.scan(ETHEREUM, { events: [{ ...opening(terms), txHash }] });
  const { hash: blockHash, timestamp: finalizedAt } = origin;
  const finality = { operationId: terms.id, blockHash, confirmations: 12, finalizedAt, holdUntil: null };
  await api.store.operations.finalizeAll(api.fence, [finality]);
  await api.store.operations.releaseHolds(api.fence, [terms.id], new Date());
  const block = await api.scan(PARTNER, { events: [paying(terms)] });
  expect((await api.store.operations.settleAll(api.fence, [aDelivery(PARTNER, block)])).size).toBe(1);
  return { terms, txHash };
}

/** Stores a transfer that pays no intent, and returns its refund id. */
async function refunded(): Promise<string> {
  const transfer = aTransfer({ payer: lower(alice.address), amount: parseAmount('XCN', '7000') });
  const block = await api.scan(PARTNER, { transfers: [transfer] });
  const arrivals = await api.store.refunds.findUnmatched(PARTNER, block.number);
  const final = arrivals.map((arrival) => ({ ...arrival, finalizedAt: block.timestamp, confirmations: 3 }));
  await api.store.refunds.failArrivals(api.fence, final, { ethereum: ETHEREUM, partner: PARTNER });
  return computeRefundId({ chainId: PARTNER, ...transfer });
}

/** Two statements of the reserves. */
function statements(): readonly PublishedReserves[] {
  const [first, second] = [aHash(), aHash()];
  const usdc = {
    asset: 'USDC',
    locked: 90_000_000n,
    supply: 85_000_000n,
    held: 5_000_000n,
    inFlight: 0n,
    fees: 250_000n,
  };
  const signatures = [{ attester: anAddress(), signature: `0x${'12'.repeat(65)}` as const }];
  return [
    { day: 20_786n, previous: zeroHash, digest: first },
    { day: 20_787n, previous: first, digest: second },
  ].map(({ day, previous, digest }) => {
    const blocks = { ethereumBlock: 20n, ethereumHash: aHash(), partnerBlock: 30n, partnerHash: aHash() };
    return { statement: { day, previous, ...blocks, assets: [usdc] }, digest, setNumber: 1n, signatures };
  });
}

/** Calls every endpoint once, in the order of a client. */
async function askEverything(): Promise<Record<string, Example>> {
  const [senderAddress, recipientAddress] = [lower(alice.address), anAddress('recipient')];
  await bridge.ethereum.test.setBalance({ address: bridge.book.ethereum.bridgeLock, value: parseAmount('ETH', '30') });
  await bridge.ethereum.test.mine({ blocks: 1 });
  const intent = await ask('registerIntent', { body: await signIntent(bridge.book, { recipientAddress }) });
  const { intentId, amountAtomic, relayerWalletAddress: to } = intent.response as IntentResponse;
  const { wallet, client } = bridge.partner;
  const originTxHash = await wallet.sendTransaction({ account: alice, to, value: BigInt(amountAtomic), chain: null });
  await client.waitForTransactionReceipt({ hash: originTxHash });
  const { terms, txHash } = await delivered();
  // The reserves are read at the last blocks that the relayer has read, so these must contain the contracts.
  for (const { test } of [bridge.ethereum, bridge.partner]) await test.mine({ blocks: 20 });
  for (const chainId of [ETHEREUM, PARTNER]) for (let n = 0; n < 10; n += 1) await api.scan(chainId);
  const transfer = { token: 'USDC', amount: '25', direction: 'ETHEREUM_TO_PARTNER', senderAddress, recipientAddress };
  for (const statement of statements()) await api.store.reserves.publish(api.fence, statement);
  return {
    getConfig: await ask('getConfig'),
    getLimits: await ask('getLimits'),
    getFeeQuote: await ask('getFeeQuote', {
      query: { token: 'ETH', amount: '2.5', direction: 'PARTNER_TO_ETHEREUM' },
    }),
    writeTransactions: await ask('writeTransactions', { body: transfer }),
    registerIntent: intent,
    bindOrigin: await ask('bindOrigin', { body: { intentId, senderAddress, originTxHash } }),
    getStatus: await ask('getStatus', { query: { depositId: terms.id } }),
    getHistory: await ask('getHistory', { query: { address: terms.recipient, limit: '5' } }),
    listOperations: await ask('listOperations', { query: { asset: 'ETH', status: 'COMPLETED' } }),
    // The operation has ended, so its stream ends too.
    streamEvents: await ask('streamEvents', { query: { id: terms.id } }),
    explain: await ask('explain', { query: { hash: txHash } }),
    getRefund: await ask('getRefund', { parameters: { id: await refunded() } }),
    getState: await ask('getState'),
    getReserves: await ask('getReserves', { query: { limit: '1' } }),
    getHealth: await ask('getHealth'),
    getLiveness: await ask('getLiveness'),
    getReadiness: await ask('getReadiness'),
  };
}

/** The shape of a response: names, and types of values. */
function getForm(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(getForm);
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, getForm(each)]));
}

describe('GET /api/v1/openapi.json', () => {
  it('has examples that match responses of this API', async () => {
    const answers = await askEverything();
    // The document cannot be its own example, and the page is not JSON.
    const ids = ENDPOINTS.map(({ operationId }) => operationId).filter((id) => !/^get(Document|Reference)$/.test(id));
    expect(Object.keys(answers).toSorted()).toEqual(ids.toSorted());
    if (process.env['WRITE_EXAMPLES'] === '1') writeFileSync(FILE, `${JSON.stringify(answers, null, 2)}\n`);
    const page = await api.get('/api/v1/bridge/reserves?before=20787');
    expect(page.body).toMatchObject({ needed: 0, statements: [{ day: 20_786 }], nextBefore: null });
    expect(getForm(answers)).toEqual(getForm(JSON.parse(readFileSync(FILE, 'utf8'))));
  });

  it('is served, may be cached, and has an ETag', async () => {
    const { status, body, headers } = await api.get('/api/v1/openapi.json');
    expect({ status, body }).toMatchObject({ status: 200, body: { openapi: '3.1.0' } });
    const { paths } = body as { paths: Record<string, unknown> };
    expect(Object.keys(paths)).toContain('/bridge/xcn-withdraw-intent/bind-origin');
    expect(headers['cache-control']).toBe('public, max-age=300');
    const known = { 'if-none-match': String(headers['etag']) };
    expect(await api.get('/api/v1/openapi.json', known)).toMatchObject({ status: 304, body: null });
  });
});
