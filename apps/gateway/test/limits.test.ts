import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { startRedis, waitUntil, type RedisServer } from '@causeway/test-kit';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { connect } from './setup/messages.js';

import { startTestGateway, type TestGateway } from './setup/gateway.js';

const call = (id: unknown = 1) => JSON.stringify({ jsonrpc: '2.0', id, method: 'test_echo', params: ['x'] });
const batch = (calls: number) => `[${Array.from({ length: calls }, (_, id) => call(id)).join(',')}]`;
const post = (gateway: TestGateway, body: string, headers: Record<string, string> = {}) =>
  fetch(gateway.url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
/** For every response, 0 for a result, else the error code. */
const getErrorCodes = (text: string): readonly number[] =>
  [JSON.parse(text)].flat().map(({ error }: { error?: { code: number } }) => error?.code ?? 0);
const ask = async (gateway: TestGateway, body: string, headers: Record<string, string> = {}) =>
  getErrorCodes(await (await post(gateway, body, headers)).text());
const count = (codes: readonly number[], code: number) => codes.filter((each) => each === code).length;

describe('Limits', () => {
  const gateways: TestGateway[] = [];
  const redises: RedisServer[] = [];
  const start = async (variables: Record<string, string>) => {
    const gateway = await startTestGateway(variables);
    gateways.push(gateway);
    return gateway;
  };
  const redis = async (port?: number) => {
    const server = await startRedis(port);
    redises.push(server);
    return server;
  };

  afterEach(async () => {
    for (const gateway of gateways.splice(0)) await gateway.close();
    for (const server of redises.splice(0)) await server.kill();
  });

  it('counts calls of a client and says when to try again', async () => {
    const gateway = await start({ RATE_LIMIT_PER_MINUTE: '3' });
    const first = await post(gateway, call());
    expect(Object.fromEntries(first.headers)).toMatchObject({
      'ratelimit-limit': '3',
      'ratelimit-remaining': '2',
      'ratelimit-reset': '60',
      'ratelimit-policy': '3;w=60',
    });
    expect(first.headers.has('retry-after')).toBe(false);
    expect(await ask(gateway, call())).toEqual([0]);
    expect(await ask(gateway, call())).toEqual([0]);
    const refused = await post(gateway, call('mine'));
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    expect(JSON.parse(await refused.text())).toEqual({
      jsonrpc: '2.0',
      id: 'mine',
      error: { code: -32005, message: expect.stringMatching(/^Rate limit exceeded: .*3 calls in 60 s.*try again in/) },
    });
  });

  it('admits calls again after a second', async () => {
    const gateway = await start({ RATE_LIMIT_PER_SECOND: '2' });
    const partly = await post(gateway, batch(3));
    expect([partly.status, getErrorCodes(await partly.text())]).toEqual([200, [0, 0, -32005]]);
    const refused = await post(gateway, batch(2));
    expect([refused.status, getErrorCodes(await refused.text())]).toEqual([429, [-32005, -32005]]);
    await sleep(1_050);
    expect(await ask(gateway, batch(2))).toEqual([0, 0]);
  });

  it('applies both limits, and a call refused by the second does not use up the minute', async () => {
    const gateway = await start({ RATE_LIMIT_PER_SECOND: '2', RATE_LIMIT_PER_MINUTE: '5' });
    const headers = (await post(gateway, batch(50))).headers;
    expect(headers.get('ratelimit-policy')).toBe('2;w=1, 5;w=60');
    await sleep(1_050);
    expect(count(await ask(gateway, batch(50)), 0)).toBe(2);
    await sleep(1_050);
    expect(count(await ask(gateway, batch(50)), 0)).toBe(1);
    await sleep(1_050);
    expect(count(await ask(gateway, batch(50)), 0)).toBe(0);
  });

  it('admits a batch call by call', async () => {
    const gateway = await start({ RATE_LIMIT_PER_MINUTE: '10' });
    expect(await ask(gateway, batch(7))).toEqual(Array.from({ length: 7 }, () => 0));
    const codes = await ask(gateway, batch(7));
    expect(codes).toEqual([0, 0, 0, -32005, -32005, -32005, -32005]);
  });

  it('counts everything: invalid messages, wrong content types and notifications', async () => {
    const gateway = await start({ RATE_LIMIT_PER_MINUTE: '4' });
    expect(await ask(gateway, '{')).toEqual([-32700]);
    expect(await ask(gateway, '[]')).toEqual([-32600]);
    expect(await ask(gateway, call(), { 'content-type': 'text/plain' })).toEqual([-32600]);
    expect((await post(gateway, '{"jsonrpc":"2.0","method":"test_echo"}')).status).toBe(204);
    expect(await ask(gateway, '{')).toEqual([-32005]);
    expect(await ask(gateway, call(), { 'content-type': 'text/plain' })).toEqual([-32005]);
    expect(await ask(gateway, call())).toEqual([-32005]);
  });

  it('counts WebSocket messages like HTTP calls', async () => {
    const gateway = await start({ RATE_LIMIT_PER_MINUTE: '3' });
    const socket = await connect(`${gateway.webSocketUrl}/ws`);
    socket.send(batch(2));
    expect(getErrorCodes(String((await once(socket, 'message'))[0]))).toEqual([0, 0]);
    expect(await ask(gateway, call())).toEqual([0]);
    socket.send(call());
    expect(getErrorCodes(String((await once(socket, 'message'))[0]))).toEqual([-32005]);
    socket.terminate();
  });

  it('trusts only the X-Forwarded-For entries of its own proxies', async () => {
    const behindTwo = await start({ RATE_LIMIT_PER_MINUTE: '1', TRUSTED_PROXY_HOPS: '2' });
    const from = (list: string) => ask(behindTwo, call(), { 'x-forwarded-for': list });
    expect(await from('192.0.2.1, 10.0.0.1')).toEqual([0]);
    expect(await from('192.0.2.2, 10.0.0.1')).toEqual([0]);
    // Addresses added by the client have no effect.
    expect(await from('198.51.100.99, 192.0.2.1, 10.0.0.1')).toEqual([-32005]);
    expect(await from('nonsense, 192.0.2.2, 10.0.0.1')).toEqual([-32005]);

    const alone = await start({ RATE_LIMIT_PER_MINUTE: '1' });
    expect(await ask(alone, call(), { 'x-forwarded-for': '192.0.2.1' })).toEqual([0]);
    expect(await ask(alone, call(), { 'x-forwarded-for': '192.0.2.2' })).toEqual([-32005]);
  });

  it('counts the addresses of one IPv6 network as one client', async () => {
    const gateway = await start({ RATE_LIMIT_PER_MINUTE: '1', TRUSTED_PROXY_HOPS: '1' });
    expect(await ask(gateway, call(), { 'x-forwarded-for': '2001:db8::1' })).toEqual([0]);
    expect(await ask(gateway, call(), { 'x-forwarded-for': '2001:db8::ffff:2' })).toEqual([-32005]);
    expect(await ask(gateway, call(), { 'x-forwarded-for': '2001:db8:0:1::1' })).toEqual([0]);
  });

  it('does not limit exempt addresses, without headers of a limit', async () => {
    const gateway = await start({ RATE_LIMIT_PER_MINUTE: '1', RATE_LIMIT_EXEMPT_IPS: '10.0.0.0/8, 127.0.0.1' });
    expect(await ask(gateway, batch(20))).not.toContain(-32005);
    expect((await post(gateway, call())).headers.has('ratelimit-limit')).toBe(false);
  });

  it('limits everyone else when the IPv6 loopback is exempt', async () => {
    const gateway = await start({ RATE_LIMIT_PER_MINUTE: '1', RATE_LIMIT_EXEMPT_IPS: '::1' });
    expect(await ask(gateway, batch(2))).toEqual([0, -32005]);
  });

  it('limits the connections of all clients together', async () => {
    const gateway = await start({ MAX_CONNECTIONS: '1' });
    const socket = await connect(`${gateway.webSocketUrl}/ws`);
    await expect(connect(`${gateway.webSocketUrl}/ws`)).rejects.toThrow('socket hang up');
    socket.send(call());
    expect(getErrorCodes(String((await once(socket, 'message'))[0]))).toEqual([0]);
    socket.terminate();
  });

  it('is counted by two gateways together in Redis, however the calls are spread', async () => {
    const { url } = await redis();
    const variables = { RATE_LIMIT_PER_MINUTE: '30', REDIS_URL: url };
    const [first, second] = [await start(variables), await start(variables)];
    for (const gateway of [first, second]) await gateway.redis();
    const rounds = Array.from({ length: 25 }, () => [ask(first, call()), ask(second, call())]).flat();
    const codes = (await Promise.all(rounds)).flat();
    expect([count(codes, 0), count(codes, -32005)]).toEqual([30, 20]);
    expect(await ask(second, batch(10))).not.toContain(0);
    expect((await post(first, call())).headers.get('ratelimit-remaining')).toBe('0');
  });

  it('counts WebSocket connections per process, even with Redis', async () => {
    const { url } = await redis();
    const variables = { WS_CONNECTIONS_PER_IP: '1', REDIS_URL: url };
    const [first, second] = [await start(variables), await start(variables)];
    const sockets = [await connect(`${first.webSocketUrl}/ws`), await connect(`${second.webSocketUrl}/ws`)];
    for (const { webSocketUrl } of [first, second]) await expect(connect(`${webSocketUrl}/ws`)).rejects.toThrow('429');
    for (const socket of sockets) socket.terminate();
  });

  it('counts alone while Redis is unavailable, logs it once, and counts together again afterwards', async () => {
    const server = await redis();
    const gateway = await start({ RATE_LIMIT_PER_MINUTE: '5', REDIS_URL: server.url });
    await gateway.redis();
    expect(await ask(gateway, batch(5))).not.toContain(-32005);
    expect(await ask(gateway, call())).toEqual([-32005]);

    await server.kill();
    await sleep(50);
    // This process starts to count alone: the limit still holds.
    const codes = await ask(gateway, batch(8));
    expect([count(codes, 0), count(codes, -32005)]).toEqual([5, 3]);
    await sleep(1_500);
    const lost = () => gateway.log.filter((line) => line.includes('Redis is unavailable'));
    expect(lost()).toHaveLength(1);

    await redis(Number(new URL(server.url).port));
    await waitUntil('Redis is back', () => gateway.log.some((line) => line.includes('Redis is back')));
    expect(await ask(gateway, call())).toEqual([0]);
    expect(lost()).toHaveLength(1);
  });

  it('makes calls wait only briefly for a Redis that hangs', async () => {
    const server = await redis();
    const gateway = await start({ RATE_LIMIT_PER_MINUTE: '1000', REDIS_URL: server.url });
    const client = await gateway.redis();
    expect(await ask(gateway, call())).toEqual([0]);
    server.freeze();
    const asked = jest.spyOn(client, 'sendCommand');
    const counts = () => asked.mock.calls.filter(([{ name }]) => name.startsWith('eval')).length;
    // The first call waits for an answer, and is counted here when none comes.
    expect(await ask(gateway, call())).toEqual([0]);
    expect(counts()).toBe(1);
    // Then Redis counts as unavailable, and limiters do not ask it.
    await waitUntil('Redis is unavailable', () => gateway.log.some((line) => line.includes('Redis is unavailable')));
    expect(await ask(gateway, batch(10))).not.toContain(-32005);
    expect(counts()).toBe(1);
  });

  it('counts alone while Redis returns errors, and exports how often', async () => {
    const gateway = await start({
      RATE_LIMIT_PER_MINUTE: '5',
      METRICS_PORT: '0',
      REDIS_URL: (await redis()).url,
    });
    const client = await gateway.redis();
    const alone = async () => {
      const line = gateway.log.find((each) => each.includes('Metrics and health are served'));
      const text = await (await fetch((JSON.parse(line ?? '{}') as { url: string }).url)).text();
      return text.split('\n').filter((each) => each.startsWith('causeway_gateway_counted_alone_total{'));
    };
    expect(await ask(gateway, call())).toEqual([0]);
    expect(await alone()).toEqual([]);
    // A read-only Redis: NOREPLICAS.
    await client.config('SET', 'min-replicas-to-write', '1');
    expect(await ask(gateway, batch(8))).toEqual([0, 0, 0, 0, 0, -32005, -32005, -32005]);
    expect(await alone()).toEqual([expect.stringMatching(/limit="rate"} [12]$/)]);
  });

  it('serves calls even if Redis was never available', async () => {
    const gateway = await start({ RATE_LIMIT_PER_MINUTE: '2', REDIS_URL: 'redis://127.0.0.1:1' });
    expect(await ask(gateway, batch(3))).toEqual([0, 0, -32005]);
  });

  it('keeps the password of a Redis that refuses it out of the log', async () => {
    const { url } = await redis();
    const gateway = await start({ REDIS_URL: url.replace('//', '//causeway:open-sesame@') });
    await waitUntil('it logs', () => gateway.log.length > 0);
    expect(gateway.log.join('')).toContain('WRONGPASS');
    expect(gateway.log.join('')).not.toContain('open-sesame');
  });
});
