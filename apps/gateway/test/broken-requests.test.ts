import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '@causeway/test-kit';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestGateway, type TestGateway } from './setup/gateway.js';

/** A complete call; its response contains the id. */
const call = (id: string, method: string, ...headers: string[]) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: [] });
  const all = ['Host: x', 'Content-Type: application/json', `Content-Length: ${body.length}`, ...headers];
  return `POST / HTTP/1.1\r\n${all.join('\r\n')}\r\n\r\n${body}`;
};
const STRAY = 'these bytes are no request\r\n\r\n';
const HALF = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
const TOO_LONG = `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`;
const NO_WEB_SOCKET = 'GET /elsewhere HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n';

describe('A connection with a refused request', () => {
  let gateway: TestGateway;
  const sockets: Socket[] = [];

  beforeEach(async () => {
    gateway = await startTestGateway();
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    gateway.methods.release();
    await gateway.close();
  });

  /** A connection whose client does not close its side when the gateway does. */
  const open = async (): Promise<Socket> => {
    const socket = connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true });
    sockets.push(socket.on('error', () => undefined));
    await once(socket, 'connect');
    return socket;
  };
  const sendApart = async (socket: Socket, piece: string): Promise<void> => {
    socket.write(piece);
    await sleep(20);
  };
  const connections = (): Promise<number> => {
    const { promise, resolve } = Promise.withResolvers<number>();
    gateway.gateway.server.getConnections((_error, count) => resolve(count));
    return promise;
  };

  it.each([
    ['stray bytes', STRAY, []],
    ['half a request', `${HALF}no length\r\n`, []],
    ['a whole call and stray bytes', call('b', 'test_echo') + STRAY, ['b']],
    ['two calls and half a request', `${call('b', 'test_wait')}${call('c', 'test_echo')}${HALF}-\r\n`, ['b', 'c']],
  ])('is closed after the responses to the preceding calls only: %s', async (_what, rest, ids) => {
    for (const together of [true, false]) {
      gateway = together ? gateway : await startTestGateway();
      const socket = await open();
      const answers = readText(socket);
      const first = call('a', 'test_wait');
      socket.write(together ? first + rest : first);
      await waitUntil('the call is under way', () => gateway.methods.waiting > 0);
      if (!together) for (const piece of [rest, STRAY, STRAY]) await sendApart(socket, piece);
      await sleep(50);
      gateway.methods.release();
      const text = await answers;
      expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(['a', ...ids].map(() => 'HTTP/1.1 200'));
      expect([...text.matchAll(/"id":"(.)"/g)].map(([, id]) => id)).toEqual(['a', ...ids]);
      const closed = once(socket, 'close');
      socket.end();
      expect(await closed).toEqual([false]);
      await waitUntil('it is gone', async () => (await connections()) === 0);
      await gateway.close();
    }
  });

  it('is closed after the response to a call that was to be the last', async () => {
    const socket = await open();
    const answers = readText(socket);
    socket.write(call('a', 'test_wait', 'Connection: close') + STRAY);
    await waitUntil('the call is under way', () => gateway.methods.waiting > 0);
    gateway.methods.release();
    expect((await answers).match(/HTTP\/1.1 \d+|released/g)).toEqual(['HTTP/1.1 200', 'released']);
    await waitUntil('it is gone', async () => (await connections()) === 0);
  });

  it('gets a refusal if no complete call preceded it, or all are answered', async () => {
    const socket = await open();
    const pieces = socket[Symbol.asyncIterator]();
    for (const id of ['a', 'b']) {
      socket.write(call(id, 'test_echo'));
      expect(String((await pieces.next()).value)).toContain('HTTP/1.1 200');
    }
    socket.write(`${HALF}no length\r\n`);
    expect(String((await pieces.next()).value)).toContain('HTTP/1.1 400');
    expect(await pieces.next()).toMatchObject({ done: true });
  });

  it('is not read further while its responses are pending', async () => {
    const socket = await open();
    socket.write(call('a', 'test_wait') + STRAY);
    await waitUntil('the call is under way', () => gateway.methods.waiting > 0);
    for (let piece = 0; piece < 200; piece++) socket.write('b'.repeat(100_000));
    await sleep(500);
    expect(socket.writableLength).toBeGreaterThan(1_000_000);
    const answers = readText(socket);
    gateway.methods.release();
    expect((await answers).match(/HTTP\/1.1 \d+|released/g)).toEqual(['HTTP/1.1 200', 'released']);
  });

  describe.each([
    ['for its length', TOO_LONG, 431],
    ['to become a WebSocket', NO_WEB_SOCKET, 404],
  ])('%s', (_what, request, status) => {
    it('is not reset while its client still sends', async () => {
      const socket = await open();
      socket.write(request);
      expect(await readText(socket)).toContain(`HTTP/1.1 ${status} `);
      for (let piece = 0; piece < 5; piece++) {
        socket.write('b'.repeat(50_000));
        await sleep(20);
      }
      const closed = once(socket, 'close');
      socket.end();
      expect(await closed).toEqual([false]);
      await waitUntil('it is gone', async () => (await connections()) === 0);
    });

    it('is cut off soon when its client keeps sending', async () => {
      const socket = await open();
      const startedAt = performance.now();
      socket.write(request);
      const sending = setInterval(() => socket.write('b'.repeat(1_000)), 20);
      await waitUntil('it is gone', async () => (await connections()) === 0);
      clearInterval(sending);
      expect(performance.now() - startedAt).toBeLessThan(4_000);
    });

    it('does not delay the shutdown of the gateway', async () => {
      const socket = await open();
      socket.write(request);
      await readText(socket);
      const startedAt = performance.now();
      await gateway.close();
      expect(performance.now() - startedAt).toBeLessThan(3_000);
    });
  });
});
