import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  aHash,
  anAddress,
  anAddressBook,
  startTcpProxy,
  waitUntil,
  type PostgresServer,
  type TcpProxy,
} from '@causeway/test-kit';
import { migratedDatabase, startApiProcess, type ApiProcess } from './api-process.js';
import { INTENT, signIntent } from '../signed-intent.js';

// Tests the API while its database is unavailable, using a proxy between them.

let database: PostgresServer;
let proxy: TcpProxy;
let api: ApiProcess;
const book = anAddressBook();
beforeEach(async () => {
  database = await migratedDatabase();
  const { hostname: host, port } = new URL(database.url);
  proxy = await startTcpProxy({ host, port: Number(port) });
  const url = new URL(database.url);
  url.port = String(proxy.port);
  api = await startApiProcess(url.href, {}, book);
});
afterEach(async () => {
  await api?.stop();
  await proxy?.close();
  await database?.stop();
});

async function ask(path: string, body?: object) {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(api.url + path, body === undefined ? {} : init);
  const { error } = (await response.json()) as { error?: string };
  return { status: response.status, error, retryAfter: response.headers.get('retry-after'), headers: response.headers };
}

const AWAY = { status: 503, error: 'SERVICE_UNAVAILABLE', retryAfter: '5' };
const requests: [string, () => Promise<Awaited<ReturnType<typeof ask>>>][] = [
  ['a status', () => ask(`/api/v1/bridge/status?depositId=${aHash()}`)],
  ['a history', () => ask(`/api/v1/bridge/history?address=${anAddress()}`)],
  ['an explanation', () => ask(`/api/v1/bridge/explain?hash=${aHash()}`)],
  ['a refund', () => ask(`/api/v1/bridge/refunds/${aHash()}`)],
  ['an intent', async () => ask(INTENT, await signIntent(book))],
  [
    'a bind',
    () => ask(`${INTENT}/bind-origin`, { intentId: aHash(), senderAddress: anAddress(), originTxHash: aHash() }),
  ],
];
const known = () => ask(`/api/v1/bridge/status?depositId=${aHash()}`);

describe('without its database', () => {
  it('answers 503 and when to ask again, one warning each, and recovers without a restart', async () => {
    expect(await known()).toMatchObject({ status: 404 });
    proxy.become('cut');
    for (const [name, request] of requests) {
      const { headers, ...answer } = await request();
      expect([name, answer]).toEqual([name, AWAY]);
      const requestId = headers.get('x-request-id');
      const lines = () => api.log().filter((line) => line['requestId'] === requestId);
      await waitUntil('it is logged', () => lines().length > 0);
      expect(lines()).toEqual([
        expect.objectContaining({ level: 40, code: 'SERVICE_UNAVAILABLE', cause: expect.any(String) }),
      ]);
      expect(JSON.stringify(lines()).length).toBeLessThan(1_500);
    }
    expect((await fetch(`${api.url}/health/ready`)).status).toBe(503);
    expect((await fetch(`${api.url}/health/live`)).status).toBe(200);
    proxy.become('open');
    expect((await fetch(`${api.url}/health/ready`)).status).toBe(200);
    expect(await known()).toMatchObject({ status: 404, error: 'OPERATION_NOT_FOUND' });
    // The configured nodes do not answer.
    expect(await ask(INTENT, await signIntent(book))).toMatchObject({
      status: 503,
      error: 'SIGNATURE_VERIFICATION_UNAVAILABLE',
      retryAfter: '2',
    });
  });

  it('answers 503 when the database hangs, and recovers', async () => {
    expect(await known()).toMatchObject({ status: 404 });
    proxy.become('silent');
    for (const answer of await Promise.all(requests.map(([, request]) => request())))
      expect(answer).toMatchObject(AWAY);
    proxy.become('open');
    expect(await waitUntil('it recovers', async () => (await known()).status === 404)).toBe(true);
  });
});
