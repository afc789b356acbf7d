import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Address, Hex } from 'viem';
import { connectMirrors, MirrorUnavailableError } from '../src/index.js';

// Mirrors over HTTP: honest, lagging, lying and unavailable.

const WALLET: Address = `0x${'fe'.repeat(20)}`;
const ACCOUNT: Address = `0x${'ac'.repeat(20)}`;
const HASH: Hex = `0x${'ab'.repeat(32)}`;

type Respond = (query: URLSearchParams, response: ServerResponse, path: string) => void;
const servers: Server[] = [];

async function serve(respond: Respond): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    respond(searchParams, response, pathname);
  });
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
});

const action = (index: number, value: number | string, over: object = {}) =>
  JSON.stringify({
    index,
    call_depth: index === 0 ? 0 : 1,
    call_operation_type: 'CALL',
    from: ACCOUNT,
    to: index === 0 ? ACCOUNT : WALLET,
    value: 'VALUE',
    input: '0x',
    result_data_type: 'OUTPUT',
    ...over,
  }).replace('"VALUE"', `${value}`);
const makePage = (actions: readonly string[], next: string | null = null) =>
  `{"actions":[${actions.join(',')}],"links":{"next":${JSON.stringify(next)}}}`;

/** A mirror that has one transaction with these payments. */
const paying =
  (...values: (number | string)[]): Respond =>
  (_, response) =>
    void response.end(makePage([action(0, 0), ...values.map((value, index) => action(index + 1, value))]));
const status =
  (code: number, body = '{}'): Respond =>
  (_, response) =>
    void response.writeHead(code).end(body);
const body = (text: string): Respond => status(200, text);

const ask = async (respond: Respond, limits = {}) =>
  connectMirrors([await serve(respond)], limits).transfersIn(HASH, [WALLET]);
const amounts = (...values: bigint[]) => ({
  kind: 'found',
  transfers: values.map((value) => expect.objectContaining({ amount: value * 10n ** 10n, payer: ACCOUNT })),
});

describe('a mirror', () => {
  it('is queried for the messages of the transaction below the path of its URL', async () => {
    const paths: string[] = [];
    const url = await serve((query, response, path) => {
      paths.push(path);
      paying(5)(query, response, path);
    });
    expect(await connectMirrors([`${url}/mirror/`]).transfersIn(HASH, [WALLET])).toEqual(amounts(5n));
    expect(paths).toEqual([`/mirror/api/v1/contracts/results/${HASH}/actions`]);
  });

  it('can state amounts above 2^53 exactly', async () => {
    expect(await ask(paying('9007199254740993'))).toEqual(amounts(9_007_199_254_740_993n));
  });

  it('is read page by page, and never from another host', async () => {
    const answer: Respond = (query, response) => {
      const from = Number(query.get('index')?.split(':')[1] ?? -1) + 1;
      const next = from < 4 ? `http://attacker.example/elsewhere?limit=100&index=gt:${from}` : null;
      response.end(makePage([action(from, from)], next));
    };
    expect(await ask(answer)).toEqual(amounts(1n, 2n, 3n, 4n));
  });

  it('can omit data, but not payments', async () => {
    const partial = (_: unknown, response: ServerResponse) =>
      void response.writeHead(206).end(makePage([action(0, 0), action(1, 5, { input: null })]));
    expect(await ask(partial)).toEqual(amounts(5n));
  });

  it.each<[string, Respond, object]>([
    ['that does not have the transaction yet', status(404), {}],
    ['with an empty list', body(makePage([])), {}],
    ['that is not JSON', body('<html>'), {}],
    ['that does not match the schema', body('{"actions":[{"index":0}],"links":{"next":null}}'), {}],
    ['with a fractional amount', paying('1.5'), {}],
    ['with messages that are not a tree', body(makePage([action(1, 5)])), {}],
    ['that repeats a page forever', body(makePage([action(0, 0), action(1, 5)], '?limit=100')), {}],
    ['that sends empty pages forever', body(makePage([], '?limit=100')), {}],
    ['that is too long', body(`"${'x'.repeat(200_000)}"`), { maxBytes: 100_000 }],
    [
      'of too many pages',
      (query, response) => {
        const from = Number(query.get('index') ?? 0);
        response.end(makePage([action(from, 1)], `?index=${from + 1}`));
      },
      { maxPages: 3 },
    ],
  ])('with an answer %s is queried again later', async (_, respond, limits) => {
    expect(await ask(respond, limits)).toMatchObject({ kind: 'missing' });
  });

  it.each<[string, Respond]>([
    ['refuses', status(429)],
    ['fails', status(503)],
    ['hangs', () => undefined],
    ['hangs in the middle', (_, response) => void response.write('{"actions":[')],
    ['breaks off', (_, response) => void response.destroy()],
    ['redirects', (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
  ])('that %s is unavailable', async (_, respond) => {
    await expect(ask(respond, { timeoutMs: 300 })).rejects.toThrow(MirrorUnavailableError);
  });
});

describe('several mirrors', () => {
  const askAll = async (...all: Respond[]) => {
    const urls = await Promise.all(all.map(serve));
    return connectMirrors(urls).transfersIn(HASH, [WALLET]);
  };

  it('answer by majority if one lies, lags or is unavailable', async () => {
    for (const odd of [paying(6), paying(), status(404), status(503)])
      expect(await askAll(paying(5), odd, paying(5))).toEqual(amounts(5n));
  });

  it('give no answer without a majority', async () => {
    expect(await askAll(paying(5), paying(6))).toMatchObject({ kind: 'missing', reason: 'the mirrors disagree' });
    expect(await askAll(paying(5), status(404))).toMatchObject({ kind: 'missing' });
    expect(await askAll(status(404), paying(6), status(404))).toMatchObject({ kind: 'missing' });
  });

  it('are unavailable if unavailable mirrors could decide', async () => {
    await expect(askAll(paying(5), status(503))).rejects.toThrow(MirrorUnavailableError);
    await expect(askAll(paying(5), status(503), paying(6))).rejects.toThrow(MirrorUnavailableError);
  });

  it('answer a ping if more than half of them do', async () => {
    const urls = await Promise.all([status(404), status(404), status(500)].map(serve));
    expect(await connectMirrors(urls).ping()).toBeGreaterThanOrEqual(0);
    await expect(connectMirrors(urls.slice(1)).ping()).rejects.toThrow(/status 500.*MIRROR_URL/);
  });
});
