import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { Exchange } from './exchange.js';
import { NodeFailure } from './node-failure.js';

describe('Exchange', () => {
  let server: Server;
  let pool: Pool;

  beforeEach(async () => {
    server = createServer((request, response) => {
      if (request.url === '/text') response.end('\ufeff{"é":1}');
      if (request.url === '/broken') response.writeHead(503).end('busy');
      if (request.url === '/endless') response.writeHead(200).write('[');
      if (request.url === '/cut') request.socket.destroy();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { connections: 1 });
  });
  afterEach(async () => {
    await pool.destroy();
    server.closeAllConnections();
    server.close();
  });

  const post = (path: string): Exchange => {
    const exchange = new Exchange();
    pool.dispatch({ path, method: 'POST', body: '{}' }, exchange);
    return exchange;
  };

  it('gives the text of an answer', async () => {
    expect(await post('/text').answer).toBe('{"é":1}');
  });

  it('says what went wrong', async () => {
    await expect(post('/broken').answer).rejects.toMatchObject({
      kind: 'broken',
      message: 'answered with HTTP status 503',
    });
    await expect(post('/cut').answer).rejects.toMatchObject({ kind: 'broken' });
    await pool.destroy();
    await expect(post('/text').answer).rejects.toMatchObject({ kind: 'broken' });
  });

  it.each(['/silent', '/endless'])('can be given up under way: %s', async (path) => {
    const requested = once(server, 'request');
    const exchange = post(path);
    await requested;
    exchange.giveUp(new NodeFailure('timeout', 'enough'));
    await expect(exchange.answer).rejects.toMatchObject({ kind: 'timeout', message: 'enough' });
    expect(await post('/text').answer).toContain('1');
  });

  it('can be given up before it has a connection, and is never sent then', async () => {
    const sent: (string | undefined)[] = [];
    server.on('request', ({ url }) => sent.push(url));
    const requested = once(server, 'request');
    const busy = post('/silent');
    const exchange = post('/text');
    exchange.giveUp(new NodeFailure('timeout', 'enough'));
    await expect(exchange.answer).rejects.toMatchObject({ message: 'enough' });
    await requested;
    busy.giveUp(new NodeFailure('timeout', 'enough'));
    await expect(busy.answer).rejects.toThrow('enough');
    expect(await post('/text').answer).toContain('1');
    expect(sent).toEqual(['/silent', '/text']);
  });
});
