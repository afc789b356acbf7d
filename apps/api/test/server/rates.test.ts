import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAmount } from '@causeway/protocol';
import { anAddress, startRedis, waitUntil, type RedisServer } from '@causeway/test-kit';
import { alice, bob, INTENT, signIntent } from '../signed-intent.js';
import { refusal, temporaryApi, type TemporaryApi } from '../temporary-api.js';
import { temporaryBridge, type TemporaryBridge } from '../temporary-bridge.js';

// Rate limits per client. Every request comes through our own proxy, which names the client.

const FIRST = '203.0.113.1';
const opened: TemporaryApi[] = [];
const redises: RedisServer[] = [];
afterEach(async () => {
  for (const api of opened.splice(0)) await api.close();
  for (const redis of redises.splice(0)) await redis.kill();
});

async function apiWith(variables: Record<string, string>, bridge?: TemporaryBridge): Promise<TemporaryApi> {
  const api = await temporaryApi(bridge, { TRUSTED_PROXY_HOPS: '1', ...variables });
  opened.push(api);
  return api;
}

const ask = (api: TemporaryApi, client = FIRST) =>
  api.get('/api/v1/bridge/status?depositId=0x12', { 'x-forwarded-for': client });
async function statuses(api: TemporaryApi, requests: number, client = FIRST): Promise<number[]> {
  const answers: number[] = [];
  for (let sent = 0; sent < requests; sent += 1) answers.push((await ask(api, client)).status);
  return answers;
}

describe('requests', () => {
  it('are limited for each client, and every response shows the rest', async () => {
    const api = await apiWith({ RATE_LIMIT_PER_MINUTE: '3' });
    expect(await ask(api)).toMatchObject({
      status: 400,
      headers: {
        'ratelimit-limit': '3',
        'ratelimit-remaining': '2',
        'ratelimit-reset': '60',
        'ratelimit-policy': '3;w=60',
      },
    });
    expect(await statuses(api, 3)).toEqual([400, 400, 429]);
    const refused = await ask(api);
    expect(refused).toEqual(
      refusal(429, 'RATE_LIMIT_EXCEEDED', expect.stringMatching(/^A client can send 3 requests in 60 s; try again in/)),
    );
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50);
    expect(refused.headers['ratelimit-remaining']).toBe('0');
    expect(await statuses(api, 1, '203.0.113.2')).toEqual([400]);
  });

  it('count even for unknown endpoints', async () => {
    const api = await apiWith({ RATE_LIMIT_PER_MINUTE: '1' });
    const nothing = () => api.get('/nothing', { 'x-forwarded-for': FIRST });
    expect([(await nothing()).status, (await nothing()).status]).toEqual([404, 429]);
  });

  it('can come in bursts of two seconds', async () => {
    const api = await apiWith({ RATE_LIMIT_PER_SECOND: '2' });
    expect(await statuses(api, 5)).toEqual([400, 400, 400, 400, 429]);
    await waitUntil('there is room again', async () => (await statuses(api, 1))[0] === 400);
  });

  it('of an IPv6 network count together, and forged header entries are ignored', async () => {
    const api = await apiWith({ RATE_LIMIT_PER_MINUTE: '2' });
    expect(await statuses(api, 1, '2001:db8:0:1::1')).toEqual([400]);
    expect(await statuses(api, 1, '6.6.6.6, 2001:db8:0:1:ffff::2')).toEqual([400]);
    expect(await statuses(api, 1, '6.6.6.7, 2001:db8:0:1::3')).toEqual([429]);
    expect(await statuses(api, 1, '2001:db8:0:2::1')).toEqual([400]);
  });

  it('of exempt clients are not counted', async () => {
    const api = await apiWith({ RATE_LIMIT_PER_MINUTE: '1', RATE_LIMIT_EXEMPT_IPS: '203.0.113.0/24' });
    expect(await statuses(api, 3)).toEqual([400, 400, 400]);
    expect(await statuses(api, 2, '198.51.100.1')).toEqual([400, 429]);
  });

  it('of an exempt loopback address are not counted in any notation, but those of others are', async () => {
    const api = await apiWith({ RATE_LIMIT_PER_MINUTE: '2', RATE_LIMIT_EXEMPT_IPS: '::1, ::ffff:10.0.0.5' });
    expect(await statuses(api, 3, '::1')).toEqual([400, 400, 400]);
    expect(await statuses(api, 3, '10.0.0.5')).toEqual([400, 400, 400]);
    expect(await statuses(api, 1, '198.51.100.1:4711')).toEqual([400]);
    expect(await statuses(api, 1, '::ffff:c633:6401')).toEqual([400]);
    expect(await statuses(api, 1, '[::ffff:198.51.100.1]:80')).toEqual([429]);
    expect(await statuses(api, 3, '::2')).toEqual([400, 400, 429]);
  });

  it('are counted together by APIs that share a Redis, and separately while it is unavailable', async () => {
    const redis = await startRedis();
    redises.push(redis);
    const variables = { RATE_LIMIT_PER_MINUTE: '4', REDIS_URL: redis.url };
    const [a, b] = [await apiWith(variables), await apiWith(variables)];
    await waitUntil('both count in Redis', async () => {
      const before = Number((await ask(a, '198.51.100.9')).headers['ratelimit-remaining']);
      return Number((await ask(b, '198.51.100.9')).headers['ratelimit-remaining']) < before;
    });
    expect([...(await statuses(a, 2)), ...(await statuses(b, 3))]).toEqual([400, 400, 400, 400, 429]);
    await redis.kill();
    expect(await statuses(a, 5, '203.0.113.5')).toEqual([400, 400, 400, 400, 429]);
    expect(await statuses(b, 1, '203.0.113.5')).toEqual([400]);
    redises.push(await startRedis(Number(new URL(redis.url).port)));
    let clients = 10;
    await waitUntil('both count in Redis again, without a restart', async () => {
      const client = `198.51.100.${clients++}`;
      return (await statuses(a, 4, client)).length === 4 && (await ask(b, client)).status === 429;
    });
  });
});

describe('intents', () => {
  let bridge: TemporaryBridge;
  beforeAll(async () => {
    bridge = await temporaryBridge();
    for (const { address } of [alice, bob])
      await bridge.partner.test.setBalance({ address, value: parseAmount('XCN', '1000000') });
  });
  afterAll(async () => bridge?.stop());

  const register = async (api: TemporaryApi, over: object = {}) =>
    api.post(INTENT, await signIntent(bridge.book, { recipientAddress: anAddress(), ...over }), 'application/json', {
      'x-forwarded-for': FIRST,
    });

  it('have their own limit, without counting refused ones', async () => {
    const api = await apiWith({ RATE_LIMIT_INTENTS_PER_MINUTE: '2' }, bridge);
    const wrong = () => register(api, { amountAtomic: parseAmount('XCN', '1').toString() });
    for (let sent = 0; sent < 4; sent += 1) expect((await wrong()).status).toBe(400);
    expect((await register(api)).status).toBe(200);
    expect((await wrong()).status).toBe(400);
    expect((await register(api)).status).toBe(200);
    const refused = await register(api);
    expect(refused).toEqual(
      refusal(429, 'RATE_LIMIT_EXCEEDED', expect.stringMatching(/^A client can send 2 intents in 60 s/)),
    );
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(30);
    expect((await ask(api)).status).toBe(400);
  });

  it('cannot exceed the limit concurrently', async () => {
    const api = await apiWith({ RATE_LIMIT_INTENTS_PER_MINUTE: '2' }, bridge);
    const answers = await Promise.all(Array.from({ length: 6 }, () => register(api)));
    const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
    expect([count(200), count(429)]).toEqual([2, 4]);
  });
});
