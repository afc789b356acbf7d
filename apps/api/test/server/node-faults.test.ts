import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { lower } from '@causeway/chain';
import { parseAmount, type TransactionsResponse } from '@causeway/protocol';
import { bridgeOperationResponseSchema, feeQuoteResponseSchema, limitsResponseSchema } from '@causeway/protocol/rest';
import { aBurn, opening } from '@causeway/store/test';
import { anAddress, PARTNER, startTcpProxy, waitUntil, type TcpProxy } from '@causeway/test-kit';
import { Client } from 'pg';
import { skipCache } from '../clock.js';
import { alice, INTENT, signIntent } from '../signed-intent.js';
import { refusal, temporaryApi, type TemporaryApi } from '../temporary-api.js';
import { temporaryBridge, type TemporaryBridge } from '../temporary-bridge.js';

// Tests the API while nodes hang or are unavailable, with a proxy in front of each.

const LIMITS = '/api/v1/bridge/limits';
const QUOTE = '/api/v1/bridge/fee-quote?token=XCN&amount=6000&direction=PARTNER_TO_ETHEREUM';
const ACCOUNTS = `&sender=${lower(alice.address)}&recipient=${anAddress()}`;
const TRANSACTIONS = '/api/v1/bridge/transactions';
const TRANSFER = {
  token: 'XCN',
  amount: '6000',
  direction: 'PARTNER_TO_ETHEREUM',
  senderAddress: lower(alice.address),
  recipientAddress: anAddress(),
};
/** A client waits at most this long: two seconds plus the delay of a busy machine. */
const PATIENCE_MS = 3_500;

let bridge: TemporaryBridge;
let api: TemporaryApi;
const proxies = new Map<'ethereum' | 'partner', TcpProxy>();
beforeAll(async () => {
  bridge = await temporaryBridge();
  await bridge.partner.test.setBalance({ address: alice.address, value: parseAmount('XCN', '50000') });
});
beforeEach(async () => {
  const urls = { ethereum: '', partner: '' };
  for (const side of ['ethereum', 'partner'] as const) {
    const { hostname: host, port } = new URL(bridge[side].url);
    const proxy = await startTcpProxy({ host, port: Number(port) });
    proxies.set(side, proxy);
    urls[side] = `http://127.0.0.1:${proxy.port}`;
  }
  const { ethereum, partner, book } = bridge;
  api = await temporaryApi({
    book,
    ethereum: { ...ethereum, url: urls.ethereum },
    partner: { ...partner, url: urls.partner },
  });
});
afterEach(async () => {
  await api.close();
  await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
});
afterAll(async () => bridge?.stop());

/** Sends GET, and measures the time. */
async function timed(path: string) {
  const startedAt = performance.now();
  const answer = await api.get(path);
  return { ...answer, tookMs: performance.now() - startedAt };
}

describe('without the database', () => {
  /** Ends all connections to the API's database, and allows or forbids new ones. */
  const allowConnections = async (isAllowed: boolean) => {
    const url = new URL(api.databaseUrl);
    const name = url.pathname.slice(1);
    url.pathname = '/postgres';
    const sql = new Client({ connectionString: url.href });
    await sql.connect();
    await sql.query(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS ${isAllowed}`);
    await sql.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    await sql.end();
  };

  it('limits, quotes and transactions come from the chains, and promise no delivery', async () => {
    await allowConnections(false);
    const undeliverable = { deliverable: false, undeliverableReason: 'DATABASE_AWAY', availableAmount: '0' };
    expect(await api.get(QUOTE)).toMatchObject({ status: 200, body: { ...undeliverable, feeBps: 25 } });
    expect(await api.post(TRANSACTIONS, TRANSFER)).toMatchObject({
      status: 200,
      body: { quote: undeliverable, calls: [expect.anything()] },
    });
    const stopped = { deliveriesPaused: true, undeliverableReason: 'DATABASE_AWAY' };
    expect(await api.get(LIMITS)).toMatchObject({
      status: 200,
      body: { ETHEREUM_TO_PARTNER: stopped, PARTNER_TO_ETHEREUM: stopped },
    });
    await allowConnections(true);
    await waitUntil('it is back', async () => {
      const { body } = await api.get(LIMITS);
      return limitsResponseSchema.parse(body).ETHEREUM_TO_PARTNER.undeliverableReason === null;
    });
  });
});

describe('while a chain makes no blocks, and its nodes answer', () => {
  it('nothing is deliverable, no completion is estimated, and health says so, but the API stays ready', async () => {
    const stillAfterSeconds = { ethereum: 1, partner: 600 };
    const one = await temporaryApi(bridge, {}, null, { stillAfterSeconds });
    const terms = aBurn();
    await one.scan(PARTNER, { events: [opening(terms)] });
    const status = async () =>
      bridgeOperationResponseSchema.parse((await one.get(`/api/v1/bridge/status?withdrawId=${terms.id}`)).body);
    await waitUntil('quotes know it', async () => {
      const { body } = await one.get(QUOTE);
      return feeQuoteResponseSchema.parse(body).undeliverableReason === 'CHAIN_AWAY';
    });
    const stopped = { deliveriesPaused: true, undeliverableReason: 'CHAIN_AWAY', estimatedSeconds: null };
    expect((await one.get(LIMITS)).body).toMatchObject({ ETHEREUM_TO_PARTNER: stopped, PARTNER_TO_ETHEREUM: stopped });
    expect(await status()).toMatchObject({ estimatedCompletionTime: null, stalledReason: null });
    const problem = expect.stringMatching(/^The chain has made no block for \d+ s\.$/);
    expect(await one.get('/health')).toMatchObject({
      status: 503,
      body: { components: { ethereumRpc: { connected: false, problem }, partnerRpc: { connected: true } } },
    });
    expect((await one.get('/health/ready')).status).toBe(200);
    await waitUntil('a block ends it', async () => {
      await bridge.ethereum.test.mine({ blocks: 1 });
      return (await status()).estimatedCompletionTime !== null;
    });
    await one.close();
  });
});

describe.each(['silent', 'cut'] as const)('while a node is %s', (state) => {
  it.each(['ethereum', 'partner'] as const)(
    'of %s, limits and quotes are the last known ones, with their age',
    async (side) => {
      const known = await signIntent(bridge.book, { recipientAddress: anAddress() });
      const accepted = await api.post(INTENT, known);
      expect(accepted.status).toBe(200);
      const before = await api.get(LIMITS);
      expect([before.status, Number(before.headers['age']) < 5]).toEqual([200, true]);
      proxies.get(side)?.become(state);
      skipCache();
      const stale = await waitUntil('the values are older than five seconds', async () => {
        const answer = await timed(LIMITS);
        expect(answer.status).toBe(200);
        expect(answer.tookMs).toBeLessThan(PATIENCE_MS);
        return Number(answer.headers['age']) > 5 ? answer : null;
      });
      const limits = limitsResponseSchema.parse(stale.body).PARTNER_TO_ETHEREUM;
      const [, , { outflowRoom, feeBps } = {}] = limitsResponseSchema.parse(before.body).PARTNER_TO_ETHEREUM.assets;
      expect(limits).toMatchObject({ deliveriesPaused: true, undeliverableReason: 'CHAIN_AWAY' });
      expect(limits.assets[2]).toMatchObject({ feeBps, outflowRoom, availableAmount: '0' });
      const quote = await timed(QUOTE);
      expect([quote.status, Number(quote.headers['age']) > 5, quote.tookMs < PATIENCE_MS]).toEqual([200, true, true]);
      // Alice is on the partner chain. The recipient is not a contract there, so no code can be missing on Ethereum.
      const warned = await timed(QUOTE + ACCOUNTS);
      expect(warned.tookMs).toBeLessThan(PATIENCE_MS);
      const { warnings } = feeQuoteResponseSchema.parse(warned.body);
      expect(warnings?.map(({ code, field }) => `${code} ${field}`)).toEqual(
        side === 'partner' ? ['NOT_CHECKED recipient', 'NOT_CHECKED sender'] : [],
      );
      const undeliverable = { deliverable: false, undeliverableReason: 'CHAIN_AWAY' };
      expect(quote.body).toMatchObject(undeliverable);
      // Unsigned calls are still returned. An unknown allowance counts as none.
      const asked = performance.now();
      const written = await api.post(TRANSACTIONS, TRANSFER);
      expect([written.status, Number(written.headers['age']) > 5]).toEqual([200, true]);
      expect(written.body).toMatchObject({
        quote: undeliverable,
        calls: [{ value: parseAmount('XCN', '6000').toString() }],
      });
      expect(performance.now() - asked).toBeLessThan(PATIENCE_MS);
      const deposit = await api.post(TRANSACTIONS, { ...TRANSFER, direction: 'ETHEREUM_TO_PARTNER' });
      expect((deposit.body as TransactionsResponse).calls).toHaveLength(2);
      // A quorum confirmed the wallet in the last minute, so a client that has paid or is about to gets the same
      // response.
      expect(await api.post(INTENT, known)).toEqual({
        ...accepted,
        headers: expect.anything(),
        body: { ...(accepted.body as object), ...undeliverable, deliverableAt: null },
      });
      // Old values must not fix a fee.
      expect(await api.post(INTENT, await signIntent(bridge.book, { recipientAddress: anAddress() }))).toEqual(
        refusal(503, 'SIGNATURE_VERIFICATION_UNAVAILABLE'),
      );
      proxies.get(side)?.become('open');
      await waitUntil('the values are fresh', async () => Number((await api.get(LIMITS)).headers['age']) < 5);
      const isAccepted = await waitUntil('intents are accepted', async () => {
        const answer = await api.post(INTENT, await signIntent(bridge.book, { recipientAddress: anAddress() }));
        return answer.status === 200;
      });
      expect(isAccepted).toBe(true);
    },
  );

  it('and no values are known, limits are 503 in time', async () => {
    proxies.get('partner')?.become(state);
    const answer = await timed(LIMITS);
    expect(answer).toEqual(refusal(503, 'SERVICE_UNAVAILABLE'));
    expect(answer.headers['retry-after']).toBe('5');
    expect(answer.tookMs).toBeLessThan(PATIENCE_MS);
  });
});
