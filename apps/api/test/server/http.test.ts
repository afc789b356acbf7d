import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ERROR_CODES, type ErrorCode } from '@causeway/protocol';
import { waitUntil, type PostgresServer } from '@causeway/test-kit';
import { migratedDatabase, sendBytes, startApiProcess, type ApiProcess, type RawAnswer } from './api-process.js';

// Tests the server's responses below and around the controllers, byte by byte.

let database: PostgresServer;
let api: ApiProcess;
beforeAll(async () => {
  database = await migratedDatabase();
  api = await startApiProcess(database.url);
});
afterAll(async () => {
  await api?.stop();
  await database?.stop();
});

const INTENT = '/api/v1/bridge/xcn-withdraw-intent';
const STATUS = '/api/v1/bridge/status';
const HEAD = 'Host: x\r\nConnection: close\r\n';
const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\n${HEAD}${headers}\r\n`;
const JSON_TYPE = 'Content-Type: application/json\r\n';
const post = (body: string, headers = JSON_TYPE) =>
  `POST ${INTENT} HTTP/1.1\r\n${HEAD}${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** Expects the exact body of a failure, and the headers of every response. */
function refuses(answer: RawAnswer, code: ErrorCode, message: RegExp): void {
  const body = JSON.parse(answer.body) as { error: string; message: string };
  expect([answer.status, Object.keys(body), body.error]).toEqual([
    ERROR_CODES[code].httpStatus,
    ['error', 'message'],
    code,
  ]);
  expect(body.message).toMatch(message);
  expect(answer.headers).toMatchObject({
    'content-type': expect.stringMatching(/^application\/json/),
    'cache-control': 'no-store',
    'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
  });
}

describe('a request that no controller answers', () => {
  it.each<[string, string, ErrorCode, RegExp]>([
    ['a malformed address', get('/api/v1/bridge/refunds/%zz'), 'VALIDATION_ERROR', /^url /],
    ['an unknown path', get('/api/v1/bridge/nothing?secret=1'), 'NOT_FOUND', /^GET \/api\/v1\/bridge\/nothing is/],
    ['a body at an unknown path', post('a=1', 'Content-Type: text/plain\r\n').replace(INTENT, '/x'), 'NOT_FOUND', /x/],
    ['an address that is not a path', get('*'), 'NOT_FOUND', /not an endpoint/],
    ['a long address', get(`${STATUS}?originTxHash=${'0'.repeat(9_000)}`), 'URI_TOO_LONG', /8192/],
    ['a long parameter in a path', get(`/api/v1/bridge/refunds/${'0'.repeat(500)}`), 'VALIDATION_ERROR', /^id /],
    ['headers that are too large', get(STATUS, `A: ${'a'.repeat(20_000)}\r\n`), 'HEADERS_TOO_LARGE', /longer/],
    ['bytes that are not HTTP', 'hello\r\n\r\n', 'VALIDATION_ERROR', /HTTP\/1.1/],
    ['an unknown HTTP method', `BREW ${STATUS} HTTP/1.1\r\n${HEAD}\r\n`, 'VALIDATION_ERROR', /HTTP\/1.1/],
    ['no host', `GET ${STATUS} HTTP/1.1\r\nConnection: close\r\n\r\n`, 'VALIDATION_ERROR', /^host /],
    ['two hosts', get(STATUS, 'host: y\r\n'), 'VALIDATION_ERROR', /^host /],
    ['no JSON', post('{"a":'), 'VALIDATION_ERROR', /^body /],
    ['an empty body', post(''), 'VALIDATION_ERROR', /^body /],
    ['another content type', post('a=1', 'Content-Type: text/plain\r\n'), 'UNSUPPORTED_MEDIA_TYPE', /^body /],
    ['a body without a content type', post('{}', ''), 'UNSUPPORTED_MEDIA_TYPE', /^body /],
    [
      'a compressed body',
      post('{}', `${JSON_TYPE}Content-Encoding: gzip\r\n`),
      'UNSUPPORTED_MEDIA_TYPE',
      /^content-enc/,
    ],
    ['a repeated key', post('{"nonce":"1","nonce":"2"}'), 'VALIDATION_ERROR', /^nonce is in the body more/],
    ['a body that is too large', post('x'.repeat(70_000)), 'PAYLOAD_TOO_LARGE', /^body /],
    ['a tunnel', `CONNECT x:443 HTTP/1.1\r\n${HEAD}\r\n`, 'METHOD_NOT_ALLOWED', /CONNECT/],
    ['two lengths', post('{}', 'Content-Length: 9\r\n'), 'VALIDATION_ERROR', /HTTP\/1.1/],
    ['an unknown parameter', get(`${STATUS}?a=1`), 'VALIDATION_ERROR', /^a /],
  ])('is answered in the form of the specification: %s', async (_, bytes, code, message) => {
    refuses(await sendBytes(api.port, bytes), code, message);
  });

  it.each([
    ['POST', STATUS, 'GET, HEAD, OPTIONS'],
    ['DELETE', '/api/v1/bridge/refunds/0x12', 'GET, HEAD, OPTIONS'],
    ['PROPFIND', '/health', 'GET, HEAD, OPTIONS'],
    ['GET', INTENT, 'POST, OPTIONS'],
    ['PUT', `${INTENT}?a=1`, 'POST, OPTIONS'],
    ['PUT', INTENT.replace('intent', '%69ntent'), 'POST, OPTIONS'],
    ['PUT', `http://x${INTENT}`, 'POST, OPTIONS'],
  ])('is 405 with the methods of the endpoint: %s %s', async (method, path, allow) => {
    const bytes = `${method} ${path} HTTP/1.1\r\n${HEAD}Content-Type: text/plain\r\nContent-Length: 1\r\n\r\nx`;
    const answer = await sendBytes(api.port, bytes);
    refuses(answer, 'METHOD_NOT_ALLOWED', new RegExp(`only ${allow}$`));
    expect(answer.headers['allow']).toBe(allow);
  });

  it('closes the connection when the body has not arrived, so that no other response follows', async () => {
    const bytes = `POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc`;
    const answer = await sendBytes(api.port, bytes);
    refuses(answer, 'NOT_FOUND', /endpoint/);
    expect(answer.headers['connection']).toBe('close');
    const whole = await sendBytes(api.port, get('/x').replace('Connection: close\r\n', ''), 500);
    expect(whole.headers['connection']).toBe('keep-alive');
  });

  it('ignores an unknown expectation', async () => {
    refuses(await sendBytes(api.port, get('/x', 'Expect: coffee\r\n')), 'NOT_FOUND', /endpoint/);
  });

  it("is one log line at warn, with the response's request id and without the query", async () => {
    const { headers } = await sendBytes(api.port, get('/api/v1/bridge/nothing?secret=1'));
    const requestId = headers['x-request-id'];
    const lines = () => api.log().filter((line) => line['requestId'] === requestId);
    await waitUntil('it is logged', () => lines().length > 0);
    expect(lines()).toEqual([expect.objectContaining({ level: 40, status: 404, code: 'NOT_FOUND' })]);
    expect(JSON.stringify(lines()).length).toBeLessThan(400);
    expect(JSON.stringify(lines())).not.toContain('secret');
  });
});

describe('the server', () => {
  it('answers with JSON in every case', async () => {
    const paths = [
      'openapi.json',
      `bridge/history?address=0x${'1'.repeat(40)}`,
      'health/live',
      'health',
      'bridge/config',
    ];
    const answers = await Promise.all(paths.map((path) => fetch(`${api.url}/api/v1/${path}`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 503, 503]);
    expect(answers.map(({ headers }) => headers.get('retry-after'))).toEqual([null, null, null, '5', '5']);
    for (const { headers } of answers) expect(headers.get('content-type')).toMatch(/^application\/json/);
  });

  it('serves the API under /api/v1 only, and no administration', async () => {
    for (const path of ['/bridge/config', '/api/bridge/config', '/api/v2/bridge/config', '/api/v1/admin/', '/admin'])
      refuses(await sendBytes(api.port, get(path)), 'NOT_FOUND', /endpoint/);
  });
});

describe('a web page', () => {
  it('may ask for anything, and reads the headers of every answer', async () => {
    const preflight = await fetch(api.url + INTENT, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'content-type',
    });
    const { headers } = await fetch(api.url + STATUS, { headers: { origin: 'https://app.example' } });
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-expose-headers')).toBe('*');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('learns the methods of an endpoint by OPTIONS', async () => {
    const { status, headers } = await fetch(api.url + STATUS, { method: 'OPTIONS' });
    expect([status, headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
  });
});

describe('a client that is slow', () => {
  let hurried: ApiProcess;
  beforeAll(async () => {
    hurried = await startApiProcess(database.url, { REQUEST_TIMEOUT_MS: '500', HTTP_IDLE_TIMEOUT_MS: '2000' });
  });
  afterAll(async () => hurried?.stop());

  it.each([
    ['headers', `GET ${STATUS} HTTP/1.1\r\nHost: x\r\n`],
    ['a body', `POST ${INTENT} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`],
    [
      'a chunked body',
      `POST ${INTENT} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`,
    ],
  ])('is refused in time when it never finishes %s', async (_, bytes) => {
    const startedAt = performance.now();
    refuses(await sendBytes(hurried.port, bytes, 10_000), 'REQUEST_TIMEOUT', /too long/);
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });

  it('loses an idle connection', async () => {
    const startedAt = performance.now();
    const answer = await sendBytes(hurried.port, `GET ${STATUS} HTTP/1.1\r\nHost: x\r\n\r\n`, 20_000);
    expect(answer.status).toBe(400);
    expect(performance.now() - startedAt).toBeLessThan(6_000);
  });
});
