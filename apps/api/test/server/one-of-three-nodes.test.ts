import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { lower } from '@causeway/chain';
import { intentDigest, intentDomain, parseAmount } from '@causeway/protocol';
import { anAddress, startRpcProxy, startTcpProxy, waitUntil, type RpcHooks } from '@causeway/test-kit';
import { numberToHex } from 'viem';
import { alice, INTENT, formatMessage, signIntent } from '../signed-intent.js';
import { temporaryApi, type Answer, type TemporaryApi } from '../temporary-api.js';
import { temporaryBridge, type TemporaryBridge } from '../temporary-bridge.js';

// One of three nodes of each chain is unavailable, hangs or lies. No response changes.

type Side = 'ethereum' | 'partner';
type Lie = NonNullable<RpcHooks['changeResult']>;

const NO_NODE = 'http://127.0.0.1:9';
/** A client waits at most this long: two seconds plus the delay of a busy machine. */
const PATIENCE_MS = 4_000;

let bridge: TemporaryBridge;
let truth: unknown;
let api: TemporaryApi;
const opened: { close: () => Promise<void> }[] = [];
async function keep<T extends { close: () => Promise<void> }>(resource: Promise<T>): Promise<T> {
  opened.push(await resource);
  return resource;
}

beforeAll(async () => {
  bridge = await temporaryBridge();
  await bridge.partner.test.setBalance({ address: alice.address, value: parseAmount('XCN', '50000') });
  await bridge.ethereum.test.setBalance({ address: bridge.book.ethereum.bridgeLock, value: parseAmount('ETH', '30') });
  for (const side of ['ethereum', 'partner'] as const) await bridge[side].test.mine({ blocks: 5 });
  const honest = await temporaryApi(bridge);
  truth = await readAnswers(honest);
  await honest.close();
});
afterEach(async () => {
  await api?.close();
  for (const { close } of opened.splice(0)) await close();
});
afterAll(async () => bridge?.stop());

const makeQuotePath = (token: string, amount: string, direction: string) =>
  `fee-quote?${new URLSearchParams({ token, amount, direction }).toString()}`;
const transfer = {
  token: 'ETH',
  amount: '1.5',
  direction: 'PARTNER_TO_ETHEREUM',
  senderAddress: lower(alice.address),
  recipientAddress: anAddress('recipient'),
};

/** Reads the state of the chains that users see. */
async function readAnswers(of: TemporaryApi) {
  const asked = [
    of.get('/api/v1/bridge/config'),
    of.get('/api/v1/bridge/limits'),
    of.get(`/api/v1/bridge/${makeQuotePath('ETH', '2.5', 'PARTNER_TO_ETHEREUM')}`),
    of.get(`/api/v1/bridge/${makeQuotePath('USDC', '11', 'PARTNER_TO_ETHEREUM')}`),
    of.get(`/api/v1/bridge/${makeQuotePath('ETH', '1001', 'ETHEREUM_TO_PARTNER')}`),
    of.post('/api/v1/bridge/transactions', transfer),
    of.post('/api/v1/bridge/transactions', { ...transfer, token: 'USDC', direction: 'ETHEREUM_TO_PARTNER' }),
  ];
  return (await Promise.all(asked)).map(({ status, body }: Answer) => ({
    status,
    body: JSON.parse(JSON.stringify(body, domainsOnly)) as unknown,
  }));
}

/** Keeps only the tokens' domains of signed deposits, because deadlines and nonces differ between requests. */
function domainsOnly(key: string, value: unknown): unknown {
  return key === 'bySignature' ? JSON.stringify(value).match(/"domain":\{[^}]*\}/g) : value;
}

const onCalls: Lie = (method, result) => {
  // Changes the last digit of each amount, and every true to false.
  if (method === 'eth_call') return String(result).replace(/.$/, (digit) => (Number(`0x${digit}`) ^ 1).toString(16));
  if (method === 'eth_getCode') return '0x';
  return method === 'eth_getBalance' || method === 'eth_getTransactionCount' ? '0x7' : result;
};
const onHead = (change: number): Lie => {
  return (method, result) =>
    method === 'eth_blockNumber' ? numberToHex(Math.max(0, Number(result) + change)) : result;
};
const liar = (changeResult: Lie) => async (side: Side) =>
  (await keep(startRpcProxy(bridge[side].url, { changeResult }))).url;

it.each<[string, (side: Side) => Promise<string>]>([
  ['is unavailable', () => Promise.resolve(NO_NODE)],
  [
    'is silent',
    async (side) => {
      const { hostname: host, port } = new URL(bridge[side].url);
      const proxy = startTcpProxy({ host, port: Number(port) }).then((tcp) => {
        tcp.become('silent');
        return { ...tcp, close: () => tcp.close() };
      });
      return `http://127.0.0.1:${(await keep(proxy)).port}`;
    },
  ],
  ['lies about contracts and accounts', liar(onCalls)],
  ['is 30 blocks ahead', liar(onHead(30))],
  ['lags, and names a block before the contracts', liar(onHead(-30))],
  [
    'breaks off every request',
    async (side) => (await keep(startRpcProxy(bridge[side].url, { afterNode: () => Promise.resolve(false) }))).url,
  ],
])("that %s changes no response, and an intent is accepted on the contract's terms", async (_, third) => {
  const startNodes = async (side: Side) => {
    const { url: second } = await keep(startRpcProxy(bridge[side].url, {}));
    return { ...bridge[side], url: [await third(side), bridge[side].url, second].join() };
  };
  api = await temporaryApi({
    book: bridge.book,
    ethereum: await startNodes('ethereum'),
    partner: await startNodes('partner'),
  });
  // Until each node has reported its block once, a lagging node can decide the newest block of the first two.
  await waitUntil('the nodes are known', async () => (await api.get('/api/v1/bridge/limits')).status === 200);
  const startedAt = performance.now();
  expect(await readAnswers(api)).toEqual(truth);
  expect(performance.now() - startedAt).toBeLessThan(PATIENCE_MS);
  const body = await signIntent(bridge.book, { recipientAddress: anAddress() });
  expect(await api.post(INTENT, body)).toMatchObject({
    status: 200,
    body: {
      intentId: intentDigest(intentDomain(bridge.book.partner), formatMessage(body)),
      relayerWalletAddress: bridge.book.relayer,
      fee: { formatted: '1000' },
      deliverable: false,
      undeliverableReason: 'COLLATERAL_SHORT',
    },
  });
});
