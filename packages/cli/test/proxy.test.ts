import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readExampleAnswers } from '@causeway/test-kit';
import type { Context } from '../src/command.js';
import { adviseProxy } from '../src/settings/proxy.js';
import { run } from './fake-streams.js';

// The command behind a proxy, which answers http requests in place of the API and the node, and refuses tunnels.

let server: Server;
let port: number;
let asked: string[];
beforeAll(async () => {
  const zero = { jsonrpc: '2.0', id: 1, result: `0x${'0'.repeat(64)}` };
  server = createServer(({ method, url, headers }, response) => {
    asked.push(`${method} ${url} ${headers['proxy-authorization'] ?? ''}`.trim());
    const answer = method === 'POST' ? zero : readExampleAnswers()['getConfig']?.response;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  server.on('connect', ({ url }, socket) => {
    asked.push(`CONNECT ${url}`);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => server.closeAllConnections());
afterAll(() => void server.close());
beforeEach(() => {
  asked = [];
});

const HTTPS_PROXY = 'http://me:secret@127.0.0.1:2';
const CLAIM = ['claim', 'USDC', '--on', 'ethereum', '--yes'];
const HOSTS = {
  CAUSEWAY_API: 'http://bridge.example/api/v1',
  CAUSEWAY_ETHEREUM_RPC: 'http://node.example/key',
  CAUSEWAY_PRIVATE_KEY: `0x${'7'.repeat(64)}`,
};

describe('behind a proxy, the command', () => {
  it('reaches the API and the node through it', async () => {
    const { errors } = await run(CLAIM, { ...HOSTS, HTTP_PROXY: `http://me:secret@127.0.0.1:${port}` });
    expect(errors).toContain('has no credit of USDC');
    const credentials = `Basic ${Buffer.from('me:secret').toString('base64')}`;
    expect(asked).toEqual([
      `GET http://bridge.example/api/v1/bridge/config ${credentials}`,
      `POST http://node.example/key ${credentials}`,
    ]);
  });

  it('tunnels https, also through a proxy that is named without a scheme', async () => {
    const own = { CAUSEWAY_ETHEREUM_RPC: 'https://node.example', http_proxy: `127.0.0.1:${port}` };
    expect(await run(CLAIM, { ...HOSTS, ...own })).toMatchObject({ code: 5 });
    expect(asked).toContain('CONNECT node.example:443');
  });

  it.each([
    ['NO_PROXY', '127.0.0.2', 'other.example,127.0.0.2'],
    ['NO_PROXY', '127.0.0.2', '*'],
    ['this machine', '127.0.0.1', ''],
  ])('does not use it for hosts of %s (%s, %j)', async (_, host, noProxy) => {
    const env = { ...HOSTS, HTTP_PROXY: 'http://127.0.0.1:1', NO_PROXY: noProxy };
    const here = `http://${host}:${port}`;
    const { errors } = await run(CLAIM, { ...env, CAUSEWAY_API: here, CAUSEWAY_ETHEREUM_RPC: here });
    expect(errors).toContain('has no credit of USDC');
    expect(asked).toEqual(['GET /bridge/config', 'POST /']);
  });

  it('names the proxy in doctor, without its credentials', async () => {
    const proxy = `http://me:secret@127.0.0.1:${port}`;
    const { output } = await run(['doctor'], { ...HOSTS, HTTP_PROXY: proxy, NO_PROXY: '.corp' });
    expect(output).toMatch(
      new RegExp(
        `^ok +proxy +https goes through 127.0.0.1:${port}, http through 127.0.0.1:${port}; without a proxy: .corp,`,
        'm',
      ),
    );
    expect(output).not.toContain('secret');
  });

  it('advises in doctor to check a dead proxy', async () => {
    const { output } = await run(['doctor'], { CAUSEWAY_API: 'https://bridge.example', HTTPS_PROXY });
    expect(output).toMatch(
      /^error +api +.* does not answer -> Check the address of the API, and the address book\. Check the proxy 127.0.0.1:2/m,
    );
  });

  it.each([
    ['https://bridge.example', 'other.example', true],
    ['http://bridge.example', '', false],
    ['https://127.0.0.1:1', '', false],
    ['https://api.bridge.example', 'other.example, .bridge.example', false],
    ['https://bridge.example', '*', false],
  ])('advises to check the proxy of %s without one for %j: %j', (url, noProxy, isAdvised) => {
    const context = { env: { HTTPS_PROXY, NO_PROXY: noProxy } } as Partial<Context> as Context;
    expect(adviseProxy(context, url) !== '').toBe(isAdvised);
  });

  it('refuses a proxy that it cannot use', async () => {
    const { code, errors } = await run(['doctor'], { ...HOSTS, HTTPS_PROXY: 'socks5://127.0.0.1:1' });
    expect({ code, errors }).toEqual({ code: 2, errors: expect.stringMatching(/^error: HTTPS_PROXY must be an http/) });
    expect(asked).toEqual([]);
  });
});
