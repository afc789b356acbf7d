import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startGateway, type TestGateway } from './transport/start-gateway.js';
import { waitUntil } from './transport/wait-until.js';

const TOO_LONG = `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`;
const NO_WEB_SOCKET = 'GET /elsewhere HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n';

describe('A connection with a request that is refused', () => {
  let gateway: TestGateway;
  const sockets: Socket[] = [];

  beforeEach(async () => {
    gateway = await startGateway();
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    gateway.methods.release();
    await gateway.close();
  });

  /** A connection whose client does not end its side because the gateway does. */
  const open = async (): Promise<Socket> => {
    const socket = connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true });
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  const connections = (): Promise<number> => {
    const { promise, resolve } = Promise.withResolvers<number>();
    gateway.app.getHttpServer().getConnections((_error, count) => resolve(count));
    return promise;
  };

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

    it('is cut off soon when its client goes on and on', async () => {
      const socket = await open();
      socket.on('error', () => undefined);
      const startedAt = performance.now();
      socket.write(request);
      const sending = setInterval(() => socket.write('b'.repeat(1_000)), 20);
      await waitUntil('it is gone', async () => (await connections()) === 0);
      clearInterval(sending);
      expect(performance.now() - startedAt).toBeLessThan(4_000);
    });

    it('does not hold up the end of the gateway', async () => {
      const socket = await open();
      socket.write(request);
      await readText(socket);
      const startedAt = performance.now();
      await gateway.close();
      expect(performance.now() - startedAt).toBeLessThan(3_000);
    });
  });
});
