import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect as connectTcp, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '@causeway/test-kit';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { WebSocket } from 'ws';
import { connect } from './setup/messages.js';
import { startTestGateway, type TestGateway } from './setup/gateway.js';

const call = (method: string, params: readonly unknown[] = [], id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const closing = async (socket: WebSocket) => {
  const [code] = await once(socket, 'close', { signal: AbortSignal.timeout(10_000) });
  return code as number;
};

describe('WebSocket', () => {
  let gateway: TestGateway;
  const start = async (variables: Record<string, string> = {}) => {
    gateway = await startTestGateway(variables);
  };
  const open = (path = '/ws', options: object = {}) => connect(`${gateway.webSocketUrl}${path}`, options);

  afterEach(async () => {
    gateway.methods.release();
    await gateway.close();
  });

  it.each(['/ws', '/', '/ws/', '/ws?key=1'])('is on %s', async (path) => {
    await start();
    const socket = await open(path);
    socket.send(call('test_echo', ['x']));
    const [data, isBinary] = await once(socket, 'message');
    expect([String(data), isBinary]).toEqual(['{"jsonrpc":"2.0","id":1,"result":"x"}', false]);
    socket.terminate();
  });

  it('reads binary messages as text', async () => {
    await start();
    const socket = await open();
    socket.send(Buffer.from(call('test_echo', ['é'])));
    expect(String((await once(socket, 'message'))[0])).toContain('"é"');
    socket.send(Buffer.from([0xff]));
    expect(await closing(socket)).toBe(1007);
  });

  it.each([
    ['an unknown path', '/other', {}, {}, 404],
    [
      'a page of another origin',
      '/ws',
      { origin: 'https://evil.example' },
      { CORS_ORIGINS: 'https://good.example' },
      403,
    ],
  ])('refuses %s', async (_name, path, options, variables, status) => {
    await start(variables);
    await expect(open(path, options)).rejects.toThrow(String(status));
  });

  it('answers broken handshakes with 400, and does not count them as connections', async () => {
    await start({ WS_CONNECTIONS_PER_IP: '1' });
    for (const version of [{}, { 'sec-websocket-version': '99' }, {}]) {
      const headers = { connection: 'Upgrade', upgrade: 'websocket', ...version };
      const request = httpRequest(`${gateway.url}/ws`, { headers });
      request.end();
      const [response] = await once(request, 'response');
      response.resume();
      expect(response.statusCode).toBe(400);
      await once(response, 'end');
    }
    const socket = await waitUntil('the sockets are closed', () => open());
    await expect(open()).rejects.toThrow('429');
    socket.terminate();
  });

  it('closes on a message that is too long', async () => {
    await start({ BODY_LIMIT_BYTES: '2000' });
    const socket = await open();
    socket.send(call('test_echo', ['x'.repeat(2_000)]));
    expect(await closing(socket)).toBe(1009);
  });

  it('answers calls of one connection as they finish', async () => {
    await start();
    const socket = await open();
    const answers: unknown[] = [];
    socket.on('message', (data: Buffer) => answers.push(JSON.parse(data.toString())));
    socket.send(call('test_sleep', [100], 'slow'));
    socket.send(call('test_echo', [], 'fast'));
    await waitUntil('both are answered', () => answers.length === 2);
    expect(answers).toMatchObject([{ id: 'fast' }, { id: 'slow' }]);
    socket.terminate();
  });

  it('limits the connections of one client until one closes', async () => {
    await start({ WS_CONNECTIONS_PER_IP: '2' });
    const [first, second] = [await open(), await open()];
    await expect(open()).rejects.toThrow('429');
    first.terminate();
    await sleep(50);
    const third = await open();
    await expect(open()).rejects.toThrow('429');
    for (const socket of [second, third]) socket.terminate();
  });

  it('distinguishes clients behind a proxy, and does not limit the connections of exempt ones', async () => {
    await start({ WS_CONNECTIONS_PER_IP: '1', TRUSTED_PROXY_HOPS: '1', RATE_LIMIT_EXEMPT_IPS: '203.0.113.0/24' });
    const from = (ip: string) => open('/ws', { headers: { 'x-forwarded-for': `198.51.100.1, ${ip}` } });
    const sockets = [
      await from('192.0.2.1'),
      await from('192.0.2.2'),
      await from('203.0.113.9'),
      await from('203.0.113.9'),
    ];
    await expect(from('192.0.2.1')).rejects.toThrow('429');
    for (const socket of sockets) socket.terminate();
  });

  it('starts no more calls of a connection than can be in flight, and stops reading meanwhile', async () => {
    await start({ WS_CALLS_IN_FLIGHT: '5', BODY_LIMIT_BYTES: '200000' });
    const accepted = once(gateway.gateway.server, 'connection') as Promise<[Socket]>;
    const socket = await open();
    const [atGateway] = await accepted;
    const answers: string[] = [];
    socket.on('message', (data: Buffer) => answers.push(data.toString()));
    const padding = 'x'.repeat(100_000);
    for (let id = 0; id < 60; id += 1) socket.send(`${call('test_wait', [], id).slice(0, -1)},"padding":"${padding}"}`);
    await waitUntil('the calls have begun', () => gateway.methods.waiting === 5);
    await sleep(300);
    expect(gateway.methods.waiting).toBe(5);
    // The five, and the data in transit when reading was paused. The rest of the six million bytes stays in the network
    // and with the client.
    expect(atGateway.bytesRead).toBeGreaterThan(500_000);
    expect(atGateway.bytesRead).toBeLessThan(1_000_000);
    gateway.methods.release();
    await waitUntil('all are answered', () => answers.length === 60);
    expect(gateway.methods.mostWaiting).toBe(5);
    socket.terminate();
  });

  it('counts every call of a batch as one in flight', async () => {
    await start({ WS_CALLS_IN_FLIGHT: '10' });
    const socket = await open();
    const batch = `[${Array.from({ length: 10 }, (_, id) => call('test_wait', [], id)).join(',')}]`;
    for (let count = 0; count < 5; count += 1) socket.send(batch);
    await waitUntil('the calls have begun', () => gateway.methods.waiting === 10);
    await sleep(100);
    expect(gateway.methods.mostWaiting).toBe(10);
    socket.terminate();
  });

  it('disconnects a client that does not read what it has subscribed to', async () => {
    await start({ WS_SEND_QUEUE_BYTES: '100000' });
    const [slow, good] = [await open(), await open()];
    let received = 0;
    good.on('message', () => (received += 1));
    for (const socket of [slow, good]) {
      socket.send(call('eth_subscribe', ['newHeads']));
      await once(socket, 'message');
    }
    const [toSlow, toGood] = gateway.methods.subscribers;
    const ended = jest.fn();
    toSlow!.onClose(ended);
    await waitUntil('the subscription has begun', () => received === 2);
    slow.pause();
    const event = 'x'.repeat(50_000);
    let sent = 0;
    for (; sent < 1_000 && ended.mock.calls.length === 0; sent += 1) {
      toSlow!.send(event);
      toGood!.send('event');
      if (sent % 10 === 0) await sleep(1);
    }
    expect(ended).toHaveBeenCalledTimes(1);
    toSlow!.send('too late');
    slow.resume();
    expect(await closing(slow)).toBe(1013);
    expect(ended).toHaveBeenCalledTimes(1);
    // The other client did not notice.
    await waitUntil('the other has read all', () => received === 2 + sent);
    expect(good.readyState).toBe(good.OPEN);
    good.terminate();
  });

  it('does not read calls of a client that does not read responses', async () => {
    await start({ WS_SEND_QUEUE_BYTES: '200000' });
    const socket = await open();
    let received = 0;
    socket.on('message', () => (received += 1));
    socket.pause();
    for (let id = 0; id < 300; id += 1) {
      socket.send(call('test_text', [200_000], id));
      if (id % 10 === 0) await sleep(1);
    }
    await sleep(200);
    // Its responses total 60 MB. Its connection holds a part (on most systems at most 40 MB), and the queue 0.2 MB.
    expect(gateway.methods.texts).toBeLessThan(300);
    socket.resume();
    await waitUntil('all are answered', () => received === 300);
    expect(socket.readyState).toBe(socket.OPEN);
    socket.terminate();
  });

  it('disconnects a client that leaves far too much of its concurrent calls unread', async () => {
    await start({ BATCH_ANSWER_LIMIT_BYTES: '1000000', WS_SEND_QUEUE_BYTES: '200000' });
    const socket = await open();
    socket.pause();
    // The gateway reads them together, so all of them start before the first is answered.
    for (let id = 0; id < 100; id += 1) socket.send(call('test_text', [5_000_000], id));
    await sleep(500);
    socket.resume();
    expect(await closing(socket)).toBe(1013);
  });

  it('starts a subscription after the response with its id, even in a batch with a slow call', async () => {
    await start();
    const socket = await open();
    const messages: string[] = [];
    socket.on('message', (data: Buffer) => messages.push(data.toString()));
    socket.send(call('eth_subscribe'));
    await waitUntil('it has begun', () => messages.length === 2);
    socket.send(`[${call('eth_subscribe')},${call('test_sleep', [50])}]`);
    await waitUntil('it has begun', () => messages.length === 4);
    expect(messages.map((message) => message.includes('begun'))).toEqual([false, true, false, true]);
    socket.terminate();
  });

  it('disconnects a subscriber on request with 1013', async () => {
    await start();
    const socket = await open();
    socket.send(call('eth_subscribe', ['newHeads']));
    await once(socket, 'message');
    gateway.methods.subscribers[0]!.disconnect('there is a gap');
    expect(await closing(socket)).toBe(1013);
  });

  it('keeps a client that answers pings and cuts off one that does not', async () => {
    await start({ WS_PING_INTERVAL_MS: '1000' });
    const living = await open();
    const dead = await open('/ws', { autoPong: false });
    let pings = 0;
    living.on('ping', () => (pings += 1));
    expect(await closing(dead)).toBe(1006);
    await waitUntil('there were pings', () => pings >= 3);
    expect(living.readyState).toBe(living.OPEN);
    living.terminate();
  });

  it('does not cut off a client that is not read because of its calls', async () => {
    await start({ WS_PING_INTERVAL_MS: '50', WS_CALLS_IN_FLIGHT: '1' });
    const socket = await open();
    socket.send(call('test_wait'));
    socket.send(call('test_echo'));
    await sleep(400);
    expect(socket.readyState).toBe(socket.OPEN);
    const answered = once(socket, 'message');
    gateway.methods.release();
    expect(String((await answered)[0])).toContain('released');
    socket.terminate();
  });

  it('cuts off a client that neither reads nor answers, however much is queued for it', async () => {
    await start({ WS_PING_INTERVAL_MS: '1000', WS_SEND_QUEUE_BYTES: '100000' });
    const socket = await open();
    socket.send(call('eth_subscribe', ['newHeads']));
    await once(socket, 'message');
    const ended = new Promise<void>((resolve) => gateway.methods.subscribers[0]!.onClose(resolve));
    socket.pause();
    await expect(ended).resolves.toBeUndefined();
    socket.terminate();
  });

  it('forgets a client that vanishes in the middle of a message', async () => {
    await start({ WS_CONNECTIONS_PER_IP: '1' });
    const socket = connectTcp(gateway.port, '127.0.0.1');
    socket.write(
      'GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    );
    await once(socket, 'data');
    socket.write(Buffer.from([0x81, 0xfe]));
    await expect(open()).rejects.toThrow('429');
    socket.destroy();
    await sleep(100);
    (await open()).terminate();
  });

  it('closes on an unmasked frame', async () => {
    await start();
    const socket = connectTcp(gateway.port, '127.0.0.1');
    socket.write(
      'GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    );
    await once(socket, 'data');
    socket.write(Buffer.from([0x81, 0x01, 0x31]));
    const [frame] = (await once(socket, 'data')) as [Buffer];
    // A close frame with code 1002.
    expect([...frame.subarray(0, 4)]).toEqual([0x88, 0x02, 0x03, 0xea]);
    socket.destroy();
  });
});
