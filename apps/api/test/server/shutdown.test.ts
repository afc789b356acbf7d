import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aHash, startTcpProxy, waitUntil, type PostgresServer, type TcpProxy } from '@causeway/test-kit';
import { migratedDatabase, startApiProcess, type ApiProcess } from './api-process.js';

// Tests the shutdown. A proxy in front of the database makes requests slow.

/** Longer than a test: a shutdown that waits for one of them fails it. */
const LONG = { SHUTDOWN_TIMEOUT_MS: '600000', HTTP_IDLE_TIMEOUT_MS: '600000' };

let database: PostgresServer;
let proxy: TcpProxy;
let api: ApiProcess;
beforeEach(async () => {
  database = await migratedDatabase();
  const { hostname: host, port } = new URL(database.url);
  proxy = await startTcpProxy({ host, port: Number(port) });
});
afterEach(async () => {
  await api?.stop();
  await proxy?.close();
  await database?.stop();
});

async function start(variables: Record<string, string>): Promise<void> {
  const url = new URL(database.url);
  url.port = String(proxy.port);
  api = await startApiProcess(url.href, variables);
}

const statusPath = () => `/api/v1/bridge/status?depositId=${aHash()}`;

/** Sends GET on a keep-alive connection. */
async function get(path: string, agent = new Agent({ keepAlive: true })) {
  const sent = request(api.url + path, { agent }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const body = Buffer.concat(await response.toArray()).toString();
  return { status: response.statusCode, connection: response.headers.connection, body };
}

/** Makes look-ups slow, and begins one. */
async function beginSlowRequest(): Promise<{ readonly answer: Promise<Awaited<ReturnType<typeof get>> | null> }> {
  expect((await get(statusPath())).status).toBe(404);
  proxy.become('silent');
  const answer = get(statusPath()).catch(() => null);
  await sleep(200);
  return { answer };
}

describe('SIGTERM', () => {
  it('ends readiness, then listening, and lets running requests finish', async () => {
    await start({ SHUTDOWN_DELAY_MS: '4000', ...LONG });
    expect((await get('/health/ready')).status).toBe(200);
    const { answer } = await beginSlowRequest();
    const exit = once(api.child, 'exit');
    api.child.kill('SIGTERM');
    await waitUntil('it is not ready', async () => (await get('/health/ready')).status === 503);
    expect(await get('/health/live')).toMatchObject({ status: 200, connection: 'close' });
    expect((await get('/api/v1/bridge/nothing')).status).toBe(404);
    await waitUntil('it does not listen', async () =>
      get('/health/live').then(
        () => false,
        () => true,
      ),
    );
    expect(api.child.exitCode).toBeNull();
    proxy.become('open');
    expect(await answer).toMatchObject({ status: 404, body: expect.stringContaining('OPERATION_NOT_FOUND') });
    // The client keeps its connection open; the shutdown does not wait for it.
    expect(await exit).toEqual([0, null]);
  });

  it('cuts off requests that take too long', async () => {
    await start({
      SHUTDOWN_DELAY_MS: '0',
      SHUTDOWN_TIMEOUT_MS: '500',
      HTTP_IDLE_TIMEOUT_MS: LONG.HTTP_IDLE_TIMEOUT_MS,
    });
    const { answer } = await beginSlowRequest();
    const exit = once(api.child, 'exit');
    api.child.kill('SIGTERM');
    await exit;
    expect(await answer).toBeNull();
  });

  it('does not wait for connections without a request; SIGHUP ends it like SIGTERM', async () => {
    await start({ SHUTDOWN_DELAY_MS: '0', ...LONG });
    await get('/health/live');
    const exit = once(api.child, 'exit');
    api.child.kill('SIGHUP');
    expect(await exit).toEqual([0, null]);
  });
});
