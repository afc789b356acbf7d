import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { askHttp } from './setup/messages.js';
import { startTestGateway, type TestGateway } from './setup/gateway.js';

const BODY_LIMIT = 10_000;
const CALL = '{"jsonrpc":"2.0","id":1,"method":"test_echo","params":["x"]}';
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":"x"}';

/** Resolves once no connection is left. */
const closedOnServer = async ({ gateway }: TestGateway) => {
  const count = () =>
    new Promise<number>((resolve, reject) =>
      gateway.server.getConnections((error, connections) => (error === null ? resolve(connections) : reject(error))),
    );
  for (let attempt = 0; attempt < 300 && (await count()) === 0; attempt += 1) await sleep(10);
  for (let attempt = 0; attempt < 300 && (await count()) > 0; attempt += 1) await sleep(10);
  return count();
};

describe('HTTP', () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway({ BODY_LIMIT_BYTES: String(BODY_LIMIT) });
  });
  afterAll(() => gateway?.close());

  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    fetch(gateway.url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
  const refusal = async (response: Response) => {
    const { id, error } = JSON.parse(await response.text());
    return { status: response.status, type: response.headers.get('content-type'), id, code: error.code };
  };

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
  ])('accepts the content type %s', async (type) => {
    const response = await post(CALL, { 'content-type': type });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await response.text()).toBe(ANSWER);
  });

  it('accepts a path with a query', async () => {
    const response = await fetch(`${gateway.url}/?key=1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: CALL,
    });
    expect(await response.text()).toBe(ANSWER);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'multipart/form-data', 'nonsense'])(
    'refuses the content type %s with 415',
    async (type) => {
      expect(await refusal(await post(CALL, { 'content-type': type }))).toEqual({
        status: 415,
        type: expect.stringMatching(/^application\/json/),
        id: null,
        code: -32600,
      });
    },
  );

  it('refuses a request without content type with 415, with and without a body', async () => {
    expect(
      await refusal(await fetch(gateway.url, { method: 'POST', body: new TextEncoder().encode(CALL) })),
    ).toMatchObject({ status: 415, code: -32600 });
    expect(await refusal(await fetch(gateway.url, { method: 'POST' }))).toMatchObject({ status: 415, code: -32600 });
  });

  it('refuses a compressed body with 415', async () => {
    const response = await post(new Uint8Array(gzipSync(CALL)), { 'content-encoding': 'gzip' });
    expect(await refusal(response)).toMatchObject({ status: 415, code: -32600 });
  });

  it('answers a JSON-RPC error with 200', async () => {
    expect(await refusal(await post('{'))).toMatchObject({ status: 200, id: null, code: -32700 });
    expect(await refusal(await post(''))).toMatchObject({ status: 200, id: null, code: -32700 });
  });

  it('does not accept bytes that are not UTF-8', async () => {
    const bytes = new Uint8Array(Buffer.from(CALL.replace('"x"', '"\xff"'), 'latin1'));
    expect(await refusal(await post(bytes))).toMatchObject({ status: 200, code: -32700 });
  });

  it('accepts a body as long as the limit and refuses one byte more with 413', async () => {
    const fitting = CALL.padEnd(BODY_LIMIT, ' ');
    expect(await (await post(fitting)).text()).toBe(ANSWER);
    expect(await refusal(await post(`${fitting} `))).toMatchObject({ status: 413, id: null, code: -32600 });
  });

  it('refuses a body of unknown length that becomes too long with 413', async () => {
    const request = httpRequest(gateway.url, { method: 'POST', headers: { 'content-type': 'application/json' } });
    const answered = once(request, 'response');
    for (let sent = 0; sent <= BODY_LIMIT; sent += 1_000) request.write(' '.repeat(1_000));
    const [response] = await answered;
    expect(response.statusCode).toBe(413);
    expect(JSON.parse(await readText(response)).error.code).toBe(-32600);
    request.destroy();
  });

  it.each(['GET', 'PUT', 'PATCH', 'DELETE'])('refuses %s with 405', async (method) => {
    const response = await fetch(gateway.url, { method, ...(method === 'GET' ? {} : { body: 'anything' }) });
    expect(response.headers.get('allow')).toBe('POST, OPTIONS');
    expect(await refusal(response)).toMatchObject({ status: 405, code: -32600 });
  });

  it('refuses HEAD with 405 and no body', async () => {
    const response = await fetch(gateway.url, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([405, '']);
  });

  it('answers OPTIONS', async () => {
    const response = await fetch(gateway.url, { method: 'OPTIONS' });
    expect([response.status, response.headers.get('allow')]).toEqual([204, 'POST, OPTIONS']);
  });

  it('lets every page call, whatever headers it sends', async () => {
    const origin = 'https://wallet.example';
    const preflight = await fetch(gateway.url, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,authorization',
      },
    });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': expect.stringContaining('POST'),
      'access-control-allow-headers': 'content-type,authorization',
      'access-control-max-age': '86400',
    });
    for (const response of [await post(CALL, { origin }), await post('{', { origin, 'content-type': 'text/plain' })]) {
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
    }
    const health = await fetch(`${gateway.url}/health`, { headers: { origin } });
    expect(health.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('answers notifications with 204 and no body', async () => {
    const response = await post('{"jsonrpc":"2.0","method":"test_echo"}');
    expect([response.status, await response.text()]).toEqual([204, '']);
  });

  it('says that a subscription needs a WebSocket', async () => {
    const response = await post('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}');
    const { error } = JSON.parse(await response.text());
    expect(error).toEqual({ code: -32004, message: expect.stringContaining('/ws') });
  });

  it('answers pipelined requests in their order', async () => {
    const socket = connectTcp(gateway.port, '127.0.0.1');
    const message = (method: string, param: unknown) =>
      JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [param] });
    const send = (body: string) =>
      socket.write(
        `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    send(message('test_sleep', 50));
    send(message('test_echo', 'second'));
    let received = '';
    for await (const chunk of socket) {
      received += String(chunk);
      if (received.includes('second')) break;
    }
    expect(received.indexOf('slept')).toBeGreaterThan(0);
    expect(received.indexOf('slept')).toBeLessThan(received.indexOf('second'));
  });

  it('answers clients that offer HTTP/2 over HTTP/1.1', async () => {
    const request = httpRequest(gateway.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        connection: 'Upgrade, HTTP2-Settings',
        upgrade: 'h2c',
        'http2-settings': 'AAMAAABkAAQCAAAAAAIAAAAA',
      },
    });
    request.end(CALL);
    const [response] = await once(request, 'response');
    expect(await readText(response)).toBe(ANSWER);
  });

  it('cuts off a client that does not read its answer', async () => {
    const impatient = await startTestGateway({ CALL_TIMEOUT_MS: '100', HTTP_IDLE_TIMEOUT_MS: '200' });
    const socket = connectTcp(impatient.port, '127.0.0.1');
    try {
      const body = '{"jsonrpc":"2.0","id":1,"method":"test_text","params":[50000000]}';
      socket.pause();
      socket.write(
        `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      await expect(closedOnServer(impatient)).resolves.toBe(0);
    } finally {
      socket.destroy();
      await impatient.close();
    }
  });

  it.each([
    { connections: 4, requests: 1 },
    { connections: 1, requests: 4 },
  ])('refuses calls of a client that leaves too much unread, %j', async ({ connections, requests }) => {
    const bounded = await startTestGateway({ BATCH_ANSWER_LIMIT_BYTES: '1000000' });
    const sockets = Array.from({ length: connections }, () => connectTcp(bounded.port, '127.0.0.1'));
    const codeNow = async () => JSON.parse((await askHttp(bounded, CALL)) ?? '').error?.code ?? 0;
    const codeBecomes = async (code: number) => {
      for (let attempt = 0; attempt < 100 && (await codeNow()) !== code; attempt += 1) await sleep(20);
      return codeNow();
    };
    try {
      const body = '{"jsonrpc":"2.0","id":1,"method":"test_text","params":[50000000]}';
      for (const socket of sockets) {
        socket.pause();
        socket.on('error', () => undefined);
        socket.write(
          `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`.repeat(
            requests,
          ),
        );
      }
      expect(await codeBecomes(-32005)).toBe(-32005);
      // One response exceeded the limit; the earlier requested ones did not.
      const received: string[] = [];
      for (const socket of sockets) {
        socket.on('data', (chunk: Buffer) => received.push(chunk.toString()));
        socket.resume();
      }
      const answers = (kind: string) => received.join('').split(kind).length - 1;
      for (let attempt = 0; attempt < 200 && answers('"jsonrpc"') < connections * requests; attempt += 1)
        await sleep(50);
      expect([answers('"result"'), answers('-32005')]).toEqual([1, connections * requests - 1]);
      expect(await codeBecomes(0)).toBe(0);
    } finally {
      for (const socket of sockets) socket.destroy();
      await bounded.close();
    }
  });

  it('cuts off the client with the most unread bytes when all together have too many', async () => {
    const unreadLimits = { each: 60_000_000, all: 60_000_000 };
    const bounded = await startTestGateway({ TRUSTED_PROXY_HOPS: '1' }, (given) => ({ ...given, unreadLimits }));
    const ask = (characters: number, ip: string) => {
      const body = `{"jsonrpc":"2.0","id":1,"method":"test_text","params":[${characters}]}`;
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': ip };
      return fetch(bounded.url, { method: 'POST', headers, body });
    };
    try {
      const [largest, smaller] = [await ask(40_000_000, '192.0.2.1'), await ask(15_000_000, '192.0.2.2')];
      const newest = await ask(10_000_000, '192.0.2.3');
      await expect(largest.text()).rejects.toThrow('terminated');
      expect([(await smaller.text()).length > 15e6, (await newest.text()).length > 10e6]).toEqual([true, true]);
    } finally {
      await bounded.close();
    }
  });

  it('does not count the unread bytes of a disconnected client', async () => {
    const bounded = await startTestGateway({ BATCH_ANSWER_LIMIT_BYTES: '1000000' });
    const socket = connectTcp(bounded.port, '127.0.0.1').on('error', () => undefined);
    try {
      const body = '{"jsonrpc":"2.0","id":1,"method":"test_text","params":[50000000]}';
      socket.pause();
      socket.write(
        `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`.repeat(
          4,
        ),
      );
      const codeNow = async () => JSON.parse((await askHttp(bounded, CALL)) ?? '').error?.code ?? 0;
      const codeBecomes = async (code: number) => {
        for (let attempt = 0; attempt < 100 && (await codeNow()) !== code; attempt += 1) await sleep(20);
        return codeNow();
      };
      expect(await codeBecomes(-32005)).toBe(-32005);
      socket.destroy();
      expect(await codeBecomes(0)).toBe(0);
    } finally {
      socket.destroy();
      await bounded.close();
    }
  });

  it('refuses further long requests of a client that does not finish any', async () => {
    const bounded = await startTestGateway({ BATCH_ANSWER_LIMIT_BYTES: '1000000', BODY_LIMIT_BYTES: '1000000' });
    const begun = Array.from({ length: 5 }, (_, index) => {
      const length = index % 2 === 0 ? 'Content-Length: 1000000' : 'Transfer-Encoding: chunked';
      const socket = connectTcp(bounded.port, '127.0.0.1').on('error', () => undefined);
      socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${length}\r\n\r\n1\r\n \r\n`);
      return socket;
    });
    const ask = () =>
      fetch(bounded.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: CALL.padEnd(20_000),
      });
    try {
      let response = await ask();
      for (let attempt = 0; attempt < 100 && response.status !== 429; attempt += 1) response = await ask();
      expect(await refusal(response)).toMatchObject({ status: 429, code: -32005 });
      for (const socket of begun) socket.destroy();
      for (let attempt = 0; attempt < 100 && response.status !== 200; attempt += 1) response = await ask();
      expect(response.status).toBe(200);
    } finally {
      for (const socket of begun) socket.destroy();
      await bounded.close();
    }
  });

  it('answers other paths without reading their bodies', async () => {
    const socket = connectTcp(gateway.port, '127.0.0.1');
    socket.write('POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n[');
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1.1 404 /);
    socket.destroy();
  });

  it('accepts a request target in absolute form', async () => {
    const socket = connectTcp(gateway.port, '127.0.0.1');
    socket.write(
      `POST http://x/?key=1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${CALL.length}\r\n\r\n${CALL}`,
    );
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1.1 200 /);
    socket.destroy();
  });

  it('refuses other paths', async () => {
    const response = await fetch(`${gateway.url}/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: CALL,
    });
    expect(response.status).toBe(404);
  });

  it('lets only the pages of CORS_ORIGINS call if it is set', async () => {
    const origin = 'https://wallet.example';
    const strict = await startTestGateway({ CORS_ORIGINS: `https://other.example, ${origin}` });
    try {
      const allowed = await fetch(strict.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin },
        body: CALL,
      });
      expect(allowed.headers.get('access-control-allow-origin')).toBe(origin);
      expect(allowed.headers.get('vary')).toContain('Origin');
      const preflight = await fetch(strict.url, {
        method: 'OPTIONS',
        headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
      });
      expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
      expect(preflight.headers.get('access-control-allow-methods')).toBeNull();
    } finally {
      await strict.close();
    }
  });
});
