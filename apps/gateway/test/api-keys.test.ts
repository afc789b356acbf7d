import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startGateway, startRedis, waitUntil, type RedisServer } from '@causeway/test-kit';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createPublicClient, http } from 'viem';
import type { WebSocket } from 'ws';
import { runCast } from './clients/cast.js';
import {
  ask,
  askSocket,
  basic,
  batch,
  bearer,
  call,
  getErrorCodes,
  KeyedGateways,
  mirror,
  post,
  readKeyMetrics,
  withKey,
} from './setup/keyed-gateway.js';
import { connect } from './setup/messages.js';

// Tests clients with a key on every transport of the compiled gateway.

const OK = Array.from({ length: 20 }, () => 0);

describe('API keys', () => {
  let keyed: KeyedGateways;
  let redis: RedisServer | null = null;
  const sockets: WebSocket[] = [];
  const open = async (url: string, authorization?: string) => {
    const socket = await connect(url, authorization === undefined ? {} : { headers: { authorization } });
    sockets.push(socket);
    return socket;
  };

  beforeEach(() => {
    keyed = new KeyedGateways();
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.terminate();
    await keyed.stop();
    await redis?.kill();
    redis = null;
  });

  it('lift the limits on every transport, while others at the same address stay limited', async () => {
    const key = keyed.add('relayer', { unlimited: true });
    keyed.write();
    const gateway = await keyed.start({ RATE_LIMIT_PER_MINUTE: '2', WS_CONNECTIONS_PER_IP: '1' });
    expect(await ask(gateway, batch(3))).toEqual([0, 0, -32005]);
    const anonymous = await open(gateway.wsUrl);
    expect(await askSocket(anonymous)).toEqual([-32005]);
    expect((await mirror(gateway)).status).toBe(429);
    await expect(connect(gateway.wsUrl)).rejects.toThrow('429');

    for (const authorization of [bearer(key), basic('relayer', key), basic('', key).replace('B', 'b')]) {
      const response = await post(gateway, batch(20), authorization);
      expect(response.headers.has('ratelimit-limit')).toBe(false);
      expect(getErrorCodes(await response.text())).toEqual(OK);
      expect((await mirror(gateway, authorization)).status).toBe(404);
      const socket = await open(gateway.wsUrl, authorization);
      expect(await askSocket(socket, batch(20))).toEqual(OK);
    }
    // Still as before.
    expect(await ask(gateway, call())).toEqual([-32005]);
  });

  it('work in the URLs of curl, cast, ws and viem', async () => {
    const key = keyed.add('relayer', { unlimited: true });
    keyed.write();
    const gateway = await keyed.start({ RATE_LIMIT_PER_MINUTE: '1', WS_CONNECTIONS_PER_IP: '1' });
    expect(await ask(gateway, batch(2))).toEqual([0, -32005]);
    const url = withKey(gateway.httpUrl, key);
    const { stdout } = await promisify(execFile)('curl', [
      '-sS',
      url,
      '-H',
      'content-type: application/json',
      '-d',
      call(),
    ]);
    expect(getErrorCodes(stdout)).toEqual([0]);
    expect(await runCast('chain-id', '--rpc-url', url)).toBe('8901');
    expect(await createPublicClient({ transport: http(url, { retryCount: 0 }) }).getChainId()).toBe(8901);
    expect(await askSocket(await open(withKey(gateway.wsUrl, key)))).toEqual([0]);
  });

  it('let another gateway before this one serve its own clients', async () => {
    const key = keyed.add('relayer', { unlimited: true });
    keyed.write();
    const gateway = await keyed.start({ RATE_LIMIT_PER_MINUTE: '1' });
    const settings = { BACKEND: 'upstream', LOG_LEVEL: 'info' };
    const before = await startGateway({ ...settings, UPSTREAM_URLS: withKey(gateway.httpUrl, key) });
    const limited = await startGateway({ ...settings, UPSTREAM_URLS: gateway.httpUrl });
    try {
      await waitUntil('it can answer', async () => (await ask(before, call('eth_blockNumber')))[0] === 0);
      expect(await ask(before, batch(20))).toEqual(OK);
      expect(before.printed()).not.toContain(key);
      const health = await fetch(new URL('health', limited.httpUrl));
      expect([health.status, await health.text()]).toEqual([
        503,
        expect.stringMatching(
          /"name":"127\.0\.0\.1:\d+".*(limits the calls of this gateway|refuses a health check \(-32005\))/,
        ),
      ]);
    } finally {
      await Promise.all([before.stop(), limited.stop()]);
    }
  });

  it('have their own limits, or the default ones', async () => {
    const fast = bearer(keyed.add('fast', { perMinute: 30, connections: 2 }));
    const plain = bearer(keyed.add('plain'));
    keyed.write();
    const gateway = await keyed.start({ RATE_LIMIT_PER_MINUTE: '5', WS_CONNECTIONS_PER_IP: '1' });
    const response = await post(gateway, batch(40), fast);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'ratelimit-limit': '30',
      'ratelimit-policy': '30;w=60',
    });
    const codes = getErrorCodes(await response.text());
    expect([codes.filter((code) => code === 0).length, codes.length]).toEqual([30, 40]);
    const refused = await post(gateway, call(), fast);
    expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining('30 calls in 60 s')]);
    expect((await ask(gateway, batch(6), plain)).filter((code) => code === 0)).toHaveLength(5);
    // Two keys and no key are three clients.
    expect((await ask(gateway, batch(6))).filter((code) => code === 0)).toHaveLength(5);

    await open(gateway.wsUrl, fast);
    await open(gateway.wsUrl, fast);
    await expect(connect(gateway.wsUrl, { headers: { authorization: fast } })).rejects.toThrow('429');
    await open(gateway.wsUrl, plain);
    await expect(connect(gateway.wsUrl, { headers: { authorization: plain } })).rejects.toThrow('429');
  });

  it('leave the number of filters bounded', async () => {
    const key = bearer(keyed.add('relayer', { unlimited: true }));
    keyed.write();
    const gateway = await keyed.start({});
    const codes: number[] = [];
    for (let each = 0; each < 101; each += 1) codes.push(...(await ask(gateway, call('eth_newBlockFilter'), key)));
    expect(codes.indexOf(-32005)).toBe(100);
  });

  it('that are invalid get 401 without a hint, and count for the address', async () => {
    const key = keyed.add('relayer', { unlimited: true });
    keyed.write();
    const gateway = await keyed.start({ RATE_LIMIT_PER_MINUTE: '20' });
    const other = new KeyedGateways();
    const never = other.add('relayer');
    await other.stop();
    const wrong = [bearer(never), basic('relayer', never), basic('relayer', ''), bearer('password'), 'Digest x', key];
    const answers = new Set<string>();
    for (const authorization of wrong) {
      const response = await post(gateway, call(), authorization);
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      answers.add(await response.text());
    }
    const error = { code: -32600, message: 'Invalid request: the API key is not valid' };
    expect([...answers].map((text) => JSON.parse(text))).toEqual([{ jsonrpc: '2.0', id: null, error }]);
    const answer = await mirror(gateway, bearer(never));
    expect([answer.status, await answer.json()]).toEqual([
      401,
      { _status: { messages: [{ message: 'Unauthorized: the API key is not valid' }] } },
    ]);
    const options = { headers: { authorization: bearer(never) } };
    await expect(connect(gateway.wsUrl, options)).rejects.toThrow('401');

    // Eight of twenty are used.
    expect((await ask(gateway, batch(20))).filter((code) => code === 0)).toHaveLength(12);
    expect((await post(gateway, call(), bearer(never))).status).toBe(429);
    expect((await mirror(gateway, bearer(never))).status).toBe(429);
    await expect(connect(gateway.wsUrl, options)).rejects.toThrow('429');
    expect(await ask(gateway, call(), bearer(key))).toEqual([0]);
    expect(await readKeyMetrics(gateway)).toContain('causeway_gateway_refusals_total{reason="key"} 11');
    expect(gateway.printed()).not.toContain(never);
  });

  it('can be sent by web pages of other origins', async () => {
    keyed.write();
    const { httpUrl } = await keyed.start();
    const response = await fetch(httpUrl, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    expect([response.status, response.headers.get('access-control-allow-headers')]).toEqual([
      204,
      'authorization,content-type',
    ]);
  });

  it('are ignored without an API key file', async () => {
    const gateway = await keyed.start({ API_KEYS_FILE: '' });
    expect(await ask(gateway, call(), bearer('password'))).toEqual([0]);
  });

  it('are counted by two gateways together in Redis', async () => {
    const key = bearer(keyed.add('partner', { perMinute: 30 }));
    keyed.write();
    redis = await startRedis();
    const variables = { RATE_LIMIT_PER_MINUTE: '5', REDIS_URL: redis.url };
    const [first, second] = [await keyed.start(variables), await keyed.start(variables)];
    // The first calls can come before Redis is connected.
    await waitUntil('both count together', async () => {
      await ask(first, call(), key);
      const { headers } = await post(second, call(), key);
      return Number(headers.get('ratelimit-remaining')) <= 28;
    });
    const rounds = Array.from({ length: 25 }, () => [ask(first, call(), key), ask(second, call(), key)]).flat();
    const codes = (await Promise.all(rounds)).flat();
    expect(codes.filter((code) => code === 0).length).toBeLessThanOrEqual(28);
    expect(await ask(first, call(), key)).toEqual([-32005]);
    expect(await ask(second, call(), key)).toEqual([-32005]);
  });
});
