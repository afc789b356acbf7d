import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { type GatewayProcess } from '@causeway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startEmbeddedGateway } from './setup/gateway.js';
import { startTestGateway, type TestGateway } from './setup/gateway.js';

interface Refused {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

/** Sends a request unchanged, and reads the whole response. */
async function ask(url: string, request: string): Promise<Refused> {
  const socket = connectTcp(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(request);
  const [headers = '', body = ''] = (await readText(socket)).split('\r\n\r\n');
  return { status: Number(headers.split(' ')[1]), headers: headers.toLowerCase(), body };
}

const makeRequest = (method: string, path: string, rest = '') =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${rest}\r\n`;

/** Matches error bodies of frameworks and of Node. */
const FOREIGN = /statusCode|"error":"|FST_|Cannot /;

describe('a request that is not a call', () => {
  let gateway: TestGateway;
  let embedded: GatewayProcess;

  beforeAll(async () => {
    gateway = await startTestGateway();
    embedded = await startEmbeddedGateway();
  });
  afterAll(async () => {
    await gateway?.close();
    await embedded?.stop();
  });

  it.each([
    ['GET', '/nothing', 404],
    ['POST', '/nothing', 404],
    ['PUT', '/nothing', 404],
    ['OPTIONS', '/nothing', 404],
    ['POST', '/ws', 404],
    ['GET', '/ws', 404],
    ['POST', '/ws/', 404],
    ['POST', '//', 404],
    ['POST', '/health', 404],
    ['GET', '/openrpc.json/', 404],
    ['GET', 'http://x/nothing', 404],
    ['GET', '*', 404],
    ['GET', '/api/v1', 404],
    ['GET', '/', 405],
    ['GET', '/?key=1', 405],
    ['PUT', '/', 405],
    ['PATCH', '/', 405],
    ['DELETE', '/', 405],
    ['TRACE', '/', 405],
    ['PROPFIND', '/', 405],
    ['GET', '/%', 400],
    ['POST', '/%ff', 400],
    ['GET', '/health/%', 400],
    ['QUERY', '/', 405],
    ['BREW', '/', 400],
  ])('as %s %s is refused with %d in the form of JSON-RPC', async (method, path, status) => {
    const refused = await ask(gateway.url, makeRequest(method, path));
    expect(refused).toMatchObject({ status, headers: expect.stringContaining('content-type: application/json') });
    expect(JSON.parse(refused.body)).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, message: expect.stringMatching(/^Invalid request: \w/) },
    });
    expect(refused.body).not.toMatch(FOREIGN);
    if (status === 404) expect(refused.body).toContain('calls are HTTP POST to /, or WebSocket on / or /ws');
    if (status === 405) expect(refused.headers).toContain('allow: post, options');
  });

  it('is refused in the same form if it is not HTTP', async () => {
    for (const [request, status] of [
      [makeRequest('POST', '/', 'Content-Length: x\r\n'), 400],
      [makeRequest('GET', `/${'a'.repeat(20_000)}`), 431],
    ] as const) {
      const refused = await ask(gateway.url, request);
      expect([refused.status, JSON.parse(refused.body).error.code]).toEqual([status, -32600]);
      expect(refused.body).not.toMatch(FOREIGN);
    }
  });

  it.each([
    ['GET', '/api/v1/nothing', 404, 'Not found'],
    ['POST', '/api/v1/contracts/results/0x12', 404, 'Not found'],
    ['GET', '/api/v1/contracts/results/%', 400, 'Bad Request'],
    ['GET', `/api/v1/contracts/results/${'a'.repeat(101)}`, 414, 'URI Too Long'],
  ])('as %s %s is refused with %d in the form of a mirror node', async (method, path, status, message) => {
    const refused = await ask(embedded.httpUrl, makeRequest(method, path));
    expect(refused.status).toBe(status);
    expect(JSON.parse(refused.body)).toEqual({ _status: { messages: [{ message }] } });
  });

  const MALFORMED = [
    '/%',
    '/health/%ff',
    '/api/v1/contracts/results/%',
    `/api/v1/contracts/results/${'a'.repeat(101)}`,
  ];

  it.each(MALFORMED)('can be read by web pages of allowed origins: %s', async (path) => {
    const origin = 'Origin: https://wallet.example\r\n';
    const refused = await ask(embedded.httpUrl, makeRequest('GET', path, origin));
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.headers).toContain('access-control-allow-origin: *');
    const preflight = `${origin}Access-Control-Request-Method: POST\r\n`;
    const allowed = await ask(embedded.httpUrl, makeRequest('OPTIONS', path, preflight));
    expect([allowed.status, allowed.body]).toEqual([204, '']);
    expect(allowed.headers).toContain('access-control-allow-methods: get, post');
  });

  it('counts as a call at the mirror endpoints, whatever its problem', async () => {
    const limited = await startEmbeddedGateway({ RATE_LIMIT_PER_MINUTE: '3' });
    try {
      const statuses = async (paths: readonly string[]) => {
        const refused: Refused[] = [];
        for (const path of paths) refused.push(await ask(limited.httpUrl, makeRequest('GET', path)));
        return refused.map(({ status }) => status);
      };
      const results = '/api/v1/contracts/results';
      expect(await statuses(['/%', '/%', '/%', '/%'])).toEqual([400, 400, 400, 400]);
      expect(await statuses([`${results}/%`, `${results}/${'a'.repeat(101)}`, `${results}/x`])).toEqual([
        400, 414, 400,
      ]);
      for (const path of [`${results}/%`, `${results}/x`]) {
        const { status, headers, body } = await ask(limited.httpUrl, makeRequest('GET', path));
        expect([status, headers]).toEqual([429, expect.stringContaining('retry-after: ')]);
        expect(body).toMatch(/^{"_status":{"messages":\[{"message":"Too many requests: 3 calls in 60 s; try again in /);
      }
    } finally {
      await limited.stop();
    }
  });

  it('gets no details when it fails', async () => {
    gateway.backend.status = () => {
      throw new Error('a secret');
    };
    const refused = await ask(gateway.url, makeRequest('GET', '/health'));
    expect(refused.status).toBe(500);
    expect(refused.body).toBe('{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}');
    expect(gateway.log.join('')).toContain('a secret');
  });
});
