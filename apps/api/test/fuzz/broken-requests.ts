import fc from 'fast-check';
import type { DrawnRequest } from './document-requests.js';

// Draws bytes that an HTTP client does not send: broken lines, headers and bodies, half requests, pipelines.

const HEAD = 'Host: x\r\nConnection: close\r\n';
const STATUS = '/api/v1/bridge/status';
const INTENT = '/api/v1/bridge/xcn-withdraw-intent';
/** Stands for bytes that are not a request of an endpoint: the response must be a failure. */
const REFUSED = { method: 'NONE', url: '/' } as const;

const drawn = (text: string, ...requests: DrawnRequest['requests']): DrawnRequest => ({
  bytes: Buffer.from(text, 'latin1'),
  requests: requests.length === 0 ? [REFUSED] : requests,
});
const get = (url: string) => ({ method: 'GET', url });
const post = { method: 'POST', url: INTENT };
const withBody = (headers: string, body: string) =>
  `POST ${INTENT} HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\n${headers}\r\n${body}`;

/** Refused by RFC 9112, whatever else is sent. */
const forbidden = [
  ...[
    'hello',
    '\0\0\0',
    '\u0016\u0003\u0001',
    'PRI * HTTP/2.0',
    `GET ${STATUS}`,
    `GET ${STATUS} HTTP/2.0`,
    `get ${STATUS} HTTP/1.1`,
  ].map((line) => `${line}\r\n${HEAD}\r\n`),
  ...[
    `GET  ${STATUS} HTTP/1.1`,
    `GET ${STATUS}\0 HTTP/1.1`,
    `GET ${STATUS} HTTP/1.1 x`,
    `GET http:// HTTP/1.1`,
    'GET HTTP/1.1',
  ].map((line) => `${line}\r\n${HEAD}\r\n`),
  `GET /health/live HTTP/1.1\r\n${HEAD}Host: y\r\n\r\n`,
  `GET /health/live HTTP/1.1\r\n${HEAD}hOST: x\r\n\r\n`,
  `GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n`,
  ...[
    'A',
    ': a',
    'A : a',
    'A: \0',
    'A: a\u0001',
    ' A: a',
    'A\u00e9: a',
    'Content-Length: -1',
    'Content-Length: 1x',
    'Content-Length: +1',
  ].map((header) => `GET /health/live HTTP/1.1\r\n${header}\r\n${HEAD}\r\n`),
  `GET /health/live HTTP/1.1\r\n${HEAD}A: ${'a'.repeat(20_000)}\r\n\r\n`,
  `GET /health/live HTTP/1.1\r\n${HEAD}${'A: a\r\n'.repeat(3_000)}\r\n`,
  withBody('Content-Length: 2\r\nContent-Length: 3\r\n', '{}'),
  withBody('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'),
  withBody('Transfer-Encoding: chunked, identity\r\n', '2\r\n{}\r\n0\r\n\r\n'),
  withBody('Transfer-Encoding: chunked\r\n', 'x\r\n{}\r\n0\r\n\r\n'),
  withBody('Transfer-Encoding: chunked\r\n', `${'f'.repeat(17)}\r\n{}`),
  withBody('Transfer-Encoding: chunked\r\n', '2\r\n{}}\r\n0\r\n\r\n'),
  withBody('Transfer-Encoding: chunked\r\n', '-2\r\n{}\r\n0\r\n\r\n'),
].map((text) => drawn(text));

/** Allowed, though seldom seen. */
const unusual = [
  drawn(`GET http://x/health/live HTTP/1.1\r\n${HEAD}\r\n`, get('/health/live')),
  drawn(`DELETE http://x${STATUS} HTTP/1.1\r\n${HEAD}\r\n`, { method: 'DELETE', url: STATUS }),
  drawn(`OPTIONS * HTTP/1.1\r\n${HEAD}\r\n`),
  drawn(`CONNECT x:443 HTTP/1.1\r\n${HEAD}\r\n`),
  drawn(`\r\n\r\nGET /health/live HTTP/1.1\r\n${HEAD}\r\n`, get('/health/live')),
  drawn(`GET /health/live HTTP/1.0\r\n\r\n`, get('/health/live')),
  drawn(`GET /health/live HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n`, get('/health/live')),
  drawn(withBody('Transfer-Encoding: chunked\r\n', '2;a="b"\r\n{}\r\n0\r\nTrailer: a\r\n\r\n'), post),
  drawn(`GET /health/live HTTP/1.1\r\n${HEAD}Upgrade: h2c\r\n\r\n`, get('/health/live')),
];

/** Half a request; the rest never arrives. */
const half = fc
  .tuple(fc.constantFrom(...unusual.slice(4), drawn(withBody('Content-Length: 2\r\n', '{}'), post)), fc.nat())
  .map(([{ bytes, requests }, at]) => ({ bytes: bytes.subarray(0, 1 + (at % (bytes.length - 1))), requests }));

/** Several pipelined requests. The responses must come in order. */
const pipeline = fc
  .array(fc.constantFrom('/health/live', `${STATUS}?a=1`, '/x', '/api/v1/bridge/refunds/0x1', INTENT), {
    minLength: 2,
    maxLength: 6,
  })
  .map((urls) => {
    const parts = urls.map((url) => `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`);
    return drawn(`${parts.join('')}GET /x HTTP/1.1\r\n${HEAD}\r\n`, ...urls.map(get), get('/x'));
  });

/** A forbidden or allowed request with random byte changes. The response can be a refusal or the correct one. */
const changed = fc
  .tuple(fc.constantFrom(...forbidden, ...unusual), fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 6 }))
  .map(([{ bytes }, at, noise]) => {
    const cut = at % bytes.length;
    return { bytes: Buffer.concat([bytes.subarray(0, cut), noise, bytes.subarray(cut)]), requests: [] };
  });

/** Bytes with the expected requests. With an empty list, any described response is right, even none. */
export const brokenRequest: fc.Arbitrary<DrawnRequest> = fc.oneof(
  fc.constantFrom(...forbidden),
  fc.constantFrom(...unusual),
  half.map(({ bytes }) => ({ bytes, requests: [] })),
  pipeline,
  changed,
);
