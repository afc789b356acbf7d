import { request as httpRequest } from 'node:http';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Redis } from 'ioredis';
import type { WebSocket } from 'ws';
import { SharedPlaces, type PlaceTimes } from '../src/limits/shared-places.js';
import { connect } from './transport/ask.js';
import { startRedis, type RedisServer } from './transport/redis-server.js';
import { startGateway, type TestGateway } from './transport/start-gateway.js';
import { waitUntil } from './transport/wait-until.js';

const CLIENT = '192.0.2.1';
/** Short enough to wait for, long enough for a slow machine. */
const TIMES: PlaceTimes = { keepMs: 2_000, refreshMs: 200 };

describe('Connections of a client at several gateways', () => {
  const endings: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of endings.splice(0).toReversed()) await end();
  });
  const redis = async (port?: number): Promise<RedisServer> => {
    const server = await startRedis(port);
    endings.push(() => server.kill());
    return server;
  };
  const ask = async <Answer>(url: string, question: (client: Redis) => Promise<Answer>): Promise<Answer> => {
    const client = new Redis(url);
    try {
      return await question(client);
    } finally {
      client.disconnect();
    }
  };
  const taken = (url: string) => ask(url, (client) => client.zcard('semaphore:causeway:gateway:connections:127.0.0.1'));
  const start = async (url: string): Promise<TestGateway> => {
    const gateway = await startGateway({ WS_CONNECTIONS_PER_IP: '3', REDIS_URL: url });
    endings.push(() => gateway.close());
    await gateway.redis();
    return gateway;
  };
  const open = (gateway: TestGateway): Promise<WebSocket> => connect(`${gateway.webSocketUrl}/ws`);
  /** Opens a connection as soon as there is a place. */
  const openSoon = async (gateway: TestGateway): Promise<WebSocket> => {
    for (let round = 0; round < 50; round++) {
      try {
        return await open(gateway);
      } catch {
        await sleep(50);
      }
    }
    return open(gateway);
  };
  /** Takes the three places, once they are free. @returns why there is no fourth. */
  const refusalOfFourth = async (gateway: TestGateway): Promise<string> => {
    const sockets = [await openSoon(gateway), await openSoon(gateway), await openSoon(gateway)];
    const refusal = await open(gateway).then(() => 'there is a fourth', String);
    for (const socket of sockets) socket.terminate();
    return refusal;
  };
  const client = async (url: string): Promise<Redis> => {
    const redisClient = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 2_000 });
    redisClient.on('error', () => undefined);
    endings.push(async () => redisClient.disconnect());
    await once(redisClient, 'ready');
    return redisClient;
  };
  const places = async (url: string | Redis, most: number, times = TIMES): Promise<SharedPlaces> => {
    const shared = new SharedPlaces(typeof url === 'string' ? await client(url) : url, most, () => undefined, times);
    endings.push(() => shared.close());
    return shared;
  };
  /** Whether there is a place within some seconds. */
  const takesSoon = async (shared: SharedPlaces, id: string): Promise<boolean> => {
    for (let round = 0; round < 60; round++) {
      if (await shared.take(CLIENT, id)) return true;
      await sleep(100);
    }
    return false;
  };

  it('are counted together, until one ends at either', async () => {
    const { url } = await redis();
    const [first, second] = [await start(url), await start(url)];
    const sockets = [await open(first), await open(first), await open(second)];
    await expect(open(first)).rejects.toThrow('429');
    await expect(open(second)).rejects.toThrow('429');
    sockets[0]?.terminate();
    sockets.push(await openSoon(second));
    await expect(open(first)).rejects.toThrow('429');
    // However many come at the same moment.
    sockets[1]?.terminate();
    await waitUntil('a place is free', async () => (await taken(url)) === 2);
    const many = await Promise.allSettled([...Array(5)].flatMap(() => [open(first), open(second)]));
    const opened = many.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(opened).toHaveLength(1);
    for (const socket of [...sockets, ...opened]) socket.terminate();
  });

  it('leave their places when their gateway ends', async () => {
    const { url } = await redis();
    const [first, second] = [await start(url), await start(url)];
    for (let socket = 0; socket < 3; socket++) await open(first);
    await expect(open(second)).rejects.toThrow('429');
    await first.close();
    const socket = await open(second);
    socket.terminate();
  });

  it('are counted by each gateway alone while Redis is gone', async () => {
    const server = await redis();
    const [first, second] = [await start(server.url), await start(server.url)];
    const sockets = [await open(first), await open(first), await open(first)];
    await server.kill();
    await sleep(100);
    await expect(open(first)).rejects.toThrow('429');
    for (let socket = 0; socket < 3; socket++) sockets.push(await open(second));
    await expect(open(second)).rejects.toThrow('429');
    for (const socket of sockets) socket.terminate();
  });

  it('whose client goes away while Redis is asked keep no place', async () => {
    const server = await redis();
    const gateway = await start(server.url);
    const asked = jest.spyOn(await gateway.redis(), 'sendCommand');
    server.freeze();
    for (let attempt = 0; attempt < 3; attempt++) {
      asked.mockClear();
      const socket = connectTcp(gateway.port, '127.0.0.1');
      const upgrade = ['connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'];
      const key = 'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==';
      socket.write(['GET /ws HTTP/1.1', 'host: localhost', ...upgrade, key, '', ''].join('\r\n'));
      await waitUntil('Redis is asked', () => asked.mock.calls.length > 0);
      socket.resetAndDestroy();
    }
    server.thaw();
    expect(await refusalOfFourth(gateway)).toContain('429');
  });

  it('are refused when the gateway ends while Redis is asked', async () => {
    const server = await redis();
    const gateway = await start(server.url);
    const asked = jest.spyOn(await gateway.redis(), 'sendCommand');
    server.freeze();
    const refusal = open(gateway).then(() => 'it is open', String);
    await waitUntil('Redis is asked', () => asked.mock.calls.length > 0);
    await gateway.close();
    expect(await refusal).toContain('503');
  });

  it('give their places back later when Redis could not be told', async () => {
    const { url } = await redis();
    const times = { keepMs: 60_000, refreshMs: 100 };
    const lost = await client(url);
    const [first, second] = [await places(lost, 2, times), await places(url, 2, times)];
    for (const id of ['a', 'b']) expect(await first.take(CLIENT, id)).toBe(true);
    lost.disconnect();
    first.release('a');
    await sleep(300);
    expect(await second.take(CLIENT, 'c')).toBe(false);
    await lost.connect();
    expect(await takesSoon(second, 'd')).toBe(true);
    expect(await second.take(CLIENT, 'e')).toBe(false);
  });

  it('that are refused for their form keep no place', async () => {
    const { url } = await redis();
    const gateway = await start(url);
    for (let attempt = 0; attempt < 5; attempt++) {
      const headers = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '99' };
      const status = await new Promise((resolve, reject) => {
        const request = httpRequest(`${gateway.url}/ws`, { headers }, (response) => {
          response.resume();
          response.once('end', () => resolve(response.statusCode));
        });
        request.once('error', reject);
        request.end();
      });
      expect(status).toBe(400);
    }
    expect(await refusalOfFourth(gateway)).toContain('429');
  });

  it('take their places again at a Redis that began anew', async () => {
    const server = await redis();
    const [first, second] = [await places(server.url, 2), await places(server.url, 2)];
    expect([await first.take(CLIENT, 'a'), await first.take(CLIENT, 'b')]).toEqual([true, true]);
    expect(await second.take(CLIENT, 'c')).toBe(false);
    expect(await second.take('192.0.2.2', 'd')).toBe(true);
    await server.kill();
    // Nobody can be asked: each counts for itself.
    expect(await second.take(CLIENT, 'e')).toBe(true);
    second.release('e');
    await redis(Number(new URL(server.url).port));
    await sleep(2_500);
    expect(await second.take(CLIENT, 'f')).toBe(false);
    first.release('a');
    expect(await takesSoon(second, 'g')).toBe(true);
  });

  it('of a gateway that died are forgotten, and those of one that lives are not', async () => {
    const { url } = await redis();
    const silent = await places(url, 2, { ...TIMES, refreshMs: 1_000_000 });
    const [living, other] = [await places(url, 2), await places(url, 2)];
    expect(await silent.take(CLIENT, 'a')).toBe(true);
    expect(await living.take(CLIENT, 'b')).toBe(true);
    expect(await other.take(CLIENT, 'c')).toBe(false);
    expect(await takesSoon(other, 'd')).toBe(true);
    await sleep(2 * TIMES.keepMs);
    expect(await other.take(CLIENT, 'e')).toBe(false);
  });
});
