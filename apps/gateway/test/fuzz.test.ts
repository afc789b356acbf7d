import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLong, seed, startAnvil, startGateway, type GatewayProcess } from '@causeway/test-kit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Client } from 'undici';
import { WebSocket } from 'ws';
import { complaintAbout, expectedAnswers } from './setup/expected-answers.js';
import { hostileMessage } from './setup/hostile-message.js';
import { WebSocketClient } from './setup/messages.js';
import { Inspector } from './setup/inspector.js';

/** Printed at the start; TEST_SEED repeats a run. */
const SEED = seed();
const RUNS = isLong ? 7_000 : 250;
/** Runs of tests that open a connection per message. */
const CONNECTION_RUNS = isLong ? 200 : 20;
const TIMEOUT_MS = 600_000;
const BODY_LIMIT = 1024 * 1024;
/** Allowed memory growth: a leak of two kilobytes per message would exceed it. */
const GROWTH_BYTES = 30 * 1024 * 1024;
const CHAIN_ID = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}';

const backends = {
  embedded: async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fuzz-'));
    const env = { BACKEND: 'embedded', DATA_DIRECTORY: directory, BLOCK_INTERVAL_MS: '0' };
    return { env, end: () => rm(directory, { recursive: true, force: true }) };
  },
  upstream: async () => {
    const anvil = await startAnvil({ chainId: 8901 });
    return { env: { BACKEND: 'upstream', UPSTREAM_URLS: anvil.url }, end: anvil.stop };
  },
};

describe.each(Object.entries(backends))('hostile messages before the %s backend', (_, prepare) => {
  let gateway: GatewayProcess;
  let end: () => Promise<void>;
  let client: Client;
  let methods: string[];
  let inspector: Inspector;
  let roomBefore: number;

  beforeAll(async () => {
    const prepared = await prepare();
    end = prepared.end;
    gateway = await startGateway(prepared.env, { execArgv: ['--inspect=127.0.0.1:0'] });
    inspector = await Inspector.connect(gateway.printed());
    client = new Client(new URL(gateway.httpUrl).origin);
    const document = (await (await fetch(new URL('openrpc.json', gateway.httpUrl))).json()) as {
      methods: { name: string }[];
    };
    methods = document.methods.map(({ name }) => name);
    process.stdout.write(`fuzz: TEST_SEED=${SEED}, ${RUNS} messages on each transport, ${methods.length} methods\n`);
  }, TIMEOUT_MS);
  afterEach(async () => {
    // Whatever a test sends, the gateway must be alive and answer afterwards.
    const { text } = gateway.running() ? await post(CHAIN_ID) : { text: 'it has ended' };
    if (text !== '{"jsonrpc":"2.0","id":1,"result":"0x22c5"}') throw new Error(`eth_chainId: ${text}`);
  });
  afterAll(async () => {
    inspector?.close();
    await client?.close();
    await gateway?.stop();
    await end?.();
  });

  /** The memory after a full garbage collection. */
  const room = async () => {
    const { heapUsed, external } = await inspector.memory();
    return heapUsed + external;
  };

  const post = async (body: string | Buffer, headers: Record<string, string> = {}) => {
    const response = await client.request({
      path: '/',
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    const text = await response.body.text();
    return { status: response.statusCode, text: text === '' ? null : text };
  };

  const fuzzHttp = (numRuns: number) =>
    fc.assert(
      fc.asyncProperty(hostileMessage(methods), async (message) => {
        // Lone surrogates do not survive the conversion to bytes, so compare with what arrives.
        const body = Buffer.from(message);
        const expected = expectedAnswers(body.toString());
        const { status, text } = await post(body);
        expect(complaintAbout(text, expected)).toBeNull();
        expect(status).toBe(expected.kind === 'nothing' ? 204 : 200);
      }),
      { seed: SEED, numRuns },
    );

  it(
    'warms up its memory',
    async () => {
      await expect(fuzzHttp(RUNS / 10)).resolves.toBeUndefined();
      roomBefore = await room();
    },
    TIMEOUT_MS,
  );

  it('answers every message over HTTP by the table', () => expect(fuzzHttp(RUNS)).resolves.toBeUndefined(), TIMEOUT_MS);

  it(
    'answers every message over WebSocket by the table',
    async () => {
      let socket = await WebSocketClient.open(gateway.wsUrl);
      let sent = 0;
      await fc.assert(
        fc.asyncProperty(hostileMessage(methods), fc.boolean(), async (message, binary) => {
          // Opens a new connection from time to time, which ends the old one's subscriptions.
          sent += 1;
          if (sent % 200 === 0) {
            await socket.close();
            socket = await WebSocketClient.open(gateway.wsUrl);
          }
          const body = Buffer.from(message);
          const expected = expectedAnswers(body.toString());
          expect(complaintAbout(await socket.ask(body, expected.kind !== 'nothing', binary), expected)).toBeNull();
        }),
        { seed: SEED + 1, numRuns: RUNS },
      );
      await socket.close();
    },
    TIMEOUT_MS,
  );

  it(
    'refuses messages that are not UTF-8',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.boolean(), async (bytes, binary) => {
          const broken = Buffer.concat([
            Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'),
            bytes,
            Buffer.from([0xff, 0x22, 0x7d]),
          ]);
          const { status, text } = await post(broken);
          expect(status).toBe(200);
          expect(complaintAbout(text, { kind: 'refusal', code: -32700 })).toBeNull();
          const socket = new WebSocket(gateway.wsUrl);
          await once(socket, 'open');
          socket.send(broken, { binary });
          expect((await once(socket, 'close'))[0]).toBe(1007);
        }),
        { seed: SEED + 2, numRuns: CONNECTION_RUNS },
      );
    },
    TIMEOUT_MS,
  );

  it(
    'refuses messages that are too large, and ends a WebSocket that sends one',
    async () => {
      const large = `[${'1,'.repeat(BODY_LIMIT / 2)}1]`;
      for (let round = 0; round < 20; round++) {
        const response = await fetch(gateway.httpUrl, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: large,
        });
        expect(response.status).toBe(413);
        expect(complaintAbout(await response.text(), { kind: 'refusal', code: -32600 })).toBeNull();
      }
      const socket = new WebSocket(gateway.wsUrl);
      await once(socket, 'open');
      socket.send(large);
      expect((await once(socket, 'close'))[0]).toBe(1009);
    },
    TIMEOUT_MS,
  );

  it(
    'answers the deepest and the widest messages within the limit',
    async () => {
      const deepest = '['.repeat(BODY_LIMIT - 1);
      const closed = `${'['.repeat(BODY_LIMIT / 2)}${']'.repeat(BODY_LIMIT / 2)}`;
      const objects = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
      const inParams = (value: string) => `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[${value}]}`;
      const keys = Array.from({ length: 60_000 }, (__, index) => `"${index}":${index % 10}`).join(',');
      const messages = [
        deepest,
        closed,
        objects,
        inParams(`${'['.repeat(400_000)}${']'.repeat(400_000)}`),
        inParams(objects),
        inParams(`{${keys}}`),
        inParams(`{"to":"0x${'0'.repeat(900_000)}"}`),
        `{"jsonrpc":"2.0","id":1e999999,"method":"eth_chainId"}`,
        `{"jsonrpc":"2.0","id":${'1'.repeat(100_000)},"method":"eth_chainId"}`,
        `{"jsonrpc":"2.0","id":"${'a'.repeat(900_000)}","method":"eth_chainId"}`,
        `{"jsonrpc":"2.0","id":1.5,"method":"eth_chainId","params":${'['.repeat(300_000)}${']'.repeat(300_000)}}`,
        `{"jsonrpc":"2.0","id":1,"id":2,"method":"eth_sign","method":"eth_chainId"}`,
        `{"__proto__":{"jsonrpc":"2.0"},"id":1,"method":"eth_chainId"}`,
        `[${Array.from({ length: 100 }, () => inParams('{"__proto__":{"to":1},"constructor":{"prototype":{}}}')).join(',')}]`,
      ];
      const socket = await WebSocketClient.open(gateway.wsUrl);
      for (const message of messages) {
        const expected = expectedAnswers(message);
        expect(complaintAbout((await post(message)).text, expected)).toBeNull();
        expect(complaintAbout(await socket.ask(message, expected.kind !== 'nothing'), expected)).toBeNull();
      }
      await socket.close();
    },
    TIMEOUT_MS,
  );

  it(
    'survives broken HTTP',
    async () => {
      const { hostname, port } = new URL(gateway.httpUrl);
      const head = `POST / HTTP/1.1\r\nhost: gateway\r\ncontent-type: application/json\r\n`;
      const talk = async (text: string | Buffer, waitMs: number, isAll = (_answer: string) => false) => {
        const socket = connect(Number(port), hostname);
        let answer = '';
        socket.on('error', () => undefined);
        socket.write(text);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, waitMs);
          socket.on('data', (chunk: Buffer) => {
            answer += chunk.toString();
            if (!isAll(answer)) return;
            clearTimeout(timer);
            resolve();
          });
        });
        socket.destroy();
        return answer;
      };
      const whole = `${head}content-length: ${CHAIN_ID.length}\r\n\r\n${CHAIN_ID}`;
      const results = (answer: string) => answer.split('"result":"0x22c5"').length - 1;
      expect(results(await talk(whole.repeat(50), 20_000, (answer) => results(answer) === 50))).toBe(50);
      const broken = [
        whole.slice(0, -5),
        `${head}content-length: 5\r\ncontent-length: 6\r\n\r\n${CHAIN_ID}`,
        `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
        `${head}transfer-encoding: chunked\r\n\r\nfffffffffffffff\r\n{`,
        `${head}transfer-encoding: chunked\r\n\r\n${'1\r\n{\r\n'.repeat(1_000)}0\r\n\r\n`,
        `${head}content-length: -1\r\n\r\n`,
        `${head}content-length: 99999999999999999999\r\n\r\n`,
        `${head}${'x-header: a\r\n'.repeat(5_000)}\r\n`,
        `${head}x: ${'a'.repeat(100_000)}\r\n\r\n`,
        `GET /ws HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
        `GET /ws HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: AAAA\r\nsec-websocket-version: 99\r\n\r\n`,
        `CONNECT x:1 HTTP/1.1\r\nhost: a\r\n\r\n`,
        `TRACE / HTTP/1.1\r\nhost: a\r\n\r\n`,
        `POST /%00%ff%2e%2e/ HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n`,
        `POST ${'/a'.repeat(5_000)} HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n`,
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
        '\r\n\r\n\r\n',
        Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]),
        Buffer.alloc(100_000, 0xff),
      ];
      const answers = await Promise.all(broken.map((text) => talk(text, 500)));
      for (const answer of answers) expect(answer).not.toMatch(/HTTP\/1\.1 5\d\d|node_modules|\bat .*\.js:/);
      await fc.assert(
        fc.asyncProperty(fc.nat(whole.length - 1), fc.uint8Array({ maxLength: 20 }), async (at, bytes) => {
          const text = Buffer.concat([Buffer.from(whole.slice(0, at)), bytes, Buffer.from(whole.slice(at))]);
          const answer = await talk(text, 20);
          expect(answer).not.toMatch(/HTTP\/1\.1 5\d\d|node_modules|\bat .*\.js:/);
        }),
        { seed: SEED + 3, numRuns: CONNECTION_RUNS },
      );
    },
    TIMEOUT_MS,
  );

  it(
    'survives broken WebSocket frames',
    async () => {
      const { hostname, port } = new URL(gateway.httpUrl);
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ minLength: 2, maxLength: 60 }), async (bytes) => {
          const socket = connect(Number(port), hostname);
          socket.on('error', () => undefined);
          socket.write(
            'GET /ws HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n\r\n',
          );
          await once(socket, 'data');
          socket.write(bytes);
          await new Promise((resolve) => setTimeout(resolve, 5));
          socket.destroy();
        }),
        { seed: SEED + 4, numRuns: CONNECTION_RUNS },
      );
    },
    TIMEOUT_MS,
  );

  it('has neither grown nor logged errors', async () => {
    expect((await room()) - roomBefore).toBeLessThan(GROWTH_BYTES);
    expect(gateway.printed()).not.toMatch(/unexpectedly|unhandled|"level":[56]0/i);
  });
});
