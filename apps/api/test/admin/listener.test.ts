import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { anAddress, waitUntil, type PostgresServer } from '@causeway/test-kit';
import { z } from 'zod';
import { adminVariables, readAdminConfiguration } from '../../src/admin-variables.js';
import { freePort, migratedDatabase, startApiProcess, type ApiProcess } from '../server/api-process.js';

// The admin API's listener in the process of the public API.

let database: PostgresServer;
let api: ApiProcess;
let adminUrl: string;
const ALLOW_LIST = `${anAddress()}:admin`;
beforeAll(async () => {
  database = await migratedDatabase();
  const port = await freePort();
  adminUrl = `http://127.0.0.1:${port}`;
  api = await startApiProcess(database.url, {
    ADMIN_PORT: String(port),
    ADMIN_ALLOW_LIST: ALLOW_LIST,
    SHUTDOWN_DELAY_MS: '0',
  });
  await waitUntil('the admin API listens', async () => fetch(adminUrl).catch(() => null));
});
afterAll(async () => {
  await api?.stop();
  await database?.stop();
});

async function get(url: string) {
  const answer = await fetch(url);
  return { status: answer.status, body: await answer.json(), headers: Object.fromEntries(answer.headers) };
}

describe('the admin API', () => {
  it('is not on the public port', async () => {
    for (const path of ['/api/v1/admin', '/api/v1/admin/session', '/api/v1/admin/sign-in/nonce'])
      expect(await get(api.url + path)).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
  });

  it('serves its own port in the format of the public API, but not the public endpoints', async () => {
    expect(await get(`${adminUrl}/api/v1/admin/session`)).toMatchObject({
      status: 401,
      body: { error: 'UNAUTHENTICATED', message: expect.any(String) },
      headers: {
        'cache-control': 'no-store',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-request-id': expect.any(String),
      },
    });
    for (const path of ['/api/v1/bridge/config', '/api/v1/health', '/api/v1/admin/nothing'])
      expect(await get(adminUrl + path)).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
  });

  it('serves the built console, whose page loads a script of this server', async () => {
    const page = await fetch(`${adminUrl}/operations`);
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1] ?? '';
    const { status, headers } = await fetch(adminUrl + script);
    expect([page.status, status, headers.get('content-type')]).toEqual([200, 200, 'text/javascript; charset=utf-8']);
  });

  it('does not let other pages read its responses', async () => {
    const preflight = await fetch(`${adminUrl}/api/v1/admin/sign-in`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    });
    const names = [...preflight.headers.keys()].filter((name) => name.startsWith('access-control'));
    expect(names).toEqual([]);
  });

  it('ends with the process, in order', async () => {
    const exit = once(api.child, 'exit');
    api.child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    expect(await fetch(adminUrl).catch(() => 'closed')).toBe('closed');
  });
});

describe('its variables', () => {
  const read = (env: Record<string, string>) => readAdminConfiguration(z.object(adminVariables).parse(env));

  it('are required only with ADMIN_PORT', () => {
    expect(read({ ADMIN_ALLOW_LIST: ALLOW_LIST })).toBeNull();
    expect(read({ ADMIN_PORT: '4000', ADMIN_ALLOW_LIST: ALLOW_LIST })).toMatchObject({
      host: '127.0.0.1',
      port: 4_000,
      origin: 'http://127.0.0.1:4000',
      trustedProxyHops: 0,
    });
  });

  it.each<[string, Record<string, string>]>([
    ['ADMIN_ALLOW_LIST is not set', { ADMIN_PORT: '4000' }],
    ['ADMIN_ORIGIN is not set', { ADMIN_PORT: '0', ADMIN_ALLOW_LIST: ALLOW_LIST }],
    ['ADMIN_ORIGIN is not set', { ADMIN_PORT: '4000', ADMIN_HOST: '::1', ADMIN_ALLOW_LIST: ALLOW_LIST }],
    ['must be the origin', { ADMIN_ORIGIN: 'https://console.example/' }],
    ['must be the origin', { ADMIN_ORIGIN: 'console.example' }],
    ['must be the origin', { ADMIN_ORIGIN: 'https://console' }],
    ['must be members such as', { ADMIN_ALLOW_LIST: anAddress() }],
    ['must be members such as', { ADMIN_ALLOW_LIST: `${anAddress()}:owner` }],
    ['must be members such as', { ADMIN_ALLOW_LIST: '0x12:admin' }],
    ['must be members such as', { ADMIN_ALLOW_LIST: `${ALLOW_LIST},${ALLOW_LIST.replace('admin', 'viewer')}` }],
    ['must be names such as', { ADMIN_NAMES: anAddress() }],
    ['must be names such as', { ADMIN_NAMES: `${anAddress()}:` }],
    ['must be names such as', { ADMIN_NAMES: '0x12:Ada' }],
    ['must be names such as', { ADMIN_NAMES: `${anAddress()}:<b>Ada</b>` }],
    ['must be names such as', { ADMIN_NAMES: `${anAddress()}:${'a'.repeat(33)}` }],
    ['must be names such as', { ADMIN_NAMES: `${anAddress()}:Ada,${anAddress()}:Ada` }],
  ])('are refused with "%s": %j', (problem, env) => {
    expect(() => read(env)).toThrow(problem);
  });
});
