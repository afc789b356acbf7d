import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeClient } from './node-client.js';
import { completeOptions } from './options.js';

/** The client's connection limit: all queues together plus spare ones. */
const CONNECTIONS = 57;

describe('NodeClient', () => {
  let server: Server;
  let base: string;
  let clients: NodeClient[];
  let requests: number;

  beforeEach(async () => {
    clients = [];
    requests = 0;
    server = createServer((request, response) => {
      requests += 1;
      if (request.url === '/bom') response.end('\ufeff{"jsonrpc":"2.0","id":1,"result":"é"}');
      if (request.url === '/busy') response.writeHead(503).end('busy');
      if (request.url === '/limited') response.writeHead(429).end();
      if (request.url === '/locked') response.writeHead(401).end();
      if (request.url === '/endless') response.writeHead(200).write('[');
      if (request.url === '/cut') request.socket.destroy();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    for (const client of clients) await client.close();
    server.closeAllConnections();
    server.close();
  });

  const open = (url: string): NodeClient => {
    const client = new NodeClient(url, completeOptions({ urls: [url], chainId: 1 }));
    clients.push(client);
    return client;
  };
  const call = (url: string) => open(url).callAlone('eth_gasPrice', []);

  it('reads an answer with a byte order mark', async () => {
    expect(await call(`${base}/bom`)).toBe('é');
  });

  it('distinguishes connection failures', async () => {
    await expect(call(`${base}/busy`)).rejects.toMatchObject({
      kind: 'broken',
      message: 'answered with HTTP status 503',
    });
    await expect(call(`${base}/limited`)).rejects.toThrow('limits the calls of this gateway (HTTP status 429)');
    await expect(call(`${base}/locked`)).rejects.toThrow('does not accept the key of this gateway (HTTP status 401)');
    await expect(call(`${base}/cut`)).rejects.toMatchObject({ kind: 'broken' });
    // No process listens on port 1 of this machine.
    await expect(call('http://127.0.0.1:1')).rejects.toMatchObject({ kind: 'unreachable' });
  });

  it.each(['/silent', '/endless'])('fails pending calls immediately: %s', async (path) => {
    const client = open(`${base}${path}`);
    const requested = once(server, 'request');
    const pending = client.callAlone('eth_gasPrice', []);
    const queued = client.call('eth_gasPrice', []);
    const outcomes = Promise.allSettled([pending, queued]);
    await requested;
    client.failPending('enough');
    expect(await outcomes).toMatchObject([
      { status: 'rejected', reason: { kind: 'timeout', message: 'enough' } },
      { status: 'rejected', reason: { message: 'enough' } },
    ]);
  });

  it('fails a call without a free connection in time, without sending it', async () => {
    const client = open(`${base}/silent`);
    const allBusy = new Promise<void>((resolve) => {
      server.on('request', () => {
        if (requests === CONNECTIONS) resolve();
      });
    });
    const busy = Promise.allSettled(Array.from({ length: CONNECTIONS }, () => client.callAlone('eth_gasPrice', [])));
    await allBusy;
    expect(await client.callAll([['eth_gasPrice', []]], 20)).toMatchObject([{ kind: 'timeout' }]);
    client.failPending('enough');
    await busy;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(requests).toBe(CONNECTIONS);
  });
});
