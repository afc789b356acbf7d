import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { STRANGER_CERTIFICATE, type PostgresServer } from '@causeway/test-kit';
import { freePort, migratedDatabase, startApiProcess, type ApiProcess } from './api-process.js';

let database: PostgresServer;
let api: ApiProcess;
let metricsUrl: string;
let proxy: Server;
beforeAll(async () => {
  database = await migratedDatabase();
  const { certificate: cert, key } = STRANGER_CERTIFICATE;
  proxy = createServer({ cert, key }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const PUBLIC_ORIGIN = `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const port = await freePort();
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  api = await startApiProcess(database.url, { METRICS_PORT: String(port), PUBLIC_ORIGIN, RATE_LIMIT_PER_MINUTE: '8' });
});
afterAll(async () => {
  await api?.stop();
  await database?.stop();
  proxy?.close();
});

const get = async (path: string, method = 'GET') => (await fetch(api.url + path, { method })).status;

describe('/metrics', () => {
  it('counts responses by endpoint and status, without client-chosen text', async () => {
    await get('/api/v1/bridge/refunds/0xabcdef?x=abcdef');
    await get('/api/v1/bridge/abcdef');
    await get('/api/v1/bridge/abcdef', 'PROPFIND');
    const statuses: number[] = [];
    while (!statuses.includes(429)) statuses.push(await get('/health/live'));
    const text = await (await fetch(metricsUrl)).text();
    expect(text).toContain(
      'causeway_api_request_seconds_count{endpoint="/api/v1/bridge/refunds/:id",method="GET",status="400"} 1',
    );
    // The test's start also requests an unknown path.
    expect(text).toMatch(/causeway_api_request_seconds_count\{endpoint="none",method="none",status="404"\} [3-9]/);
    expect(text).toContain('endpoint="/health/live",method="GET",status="429"');
    expect(text).toContain('causeway_api_refusals_total{unit="requests"} 1');
    expect(text).toContain('causeway_api_database_up 1');
    expect(text).toContain('causeway_api_node_usable{chain="ethereum",node="127.0.0.1:9"} 0');
    expect(text).toContain('causeway_api_quorum{chain="partner"} 1');
    expect(text).toContain('process_cpu_seconds_total');
    expect(text).not.toContain('abcdef');
  });

  it('serves health beside the metrics, without a rate limit', async () => {
    const ready = await fetch(new URL('/health/ready', metricsUrl));
    expect({ status: ready.status, body: await ready.json() }).toEqual({
      status: 200,
      body: { status: 'healthy', components: { database: { connected: true, latencyMs: expect.any(Number) } } },
    });
    expect((await fetch(new URL('/health/live', metricsUrl))).status).toBe(200);
    const text = await (await fetch(metricsUrl)).text();
    expect(text).toContain('causeway_ready{service="api"} 1');
    expect(text).toContain('causeway_build_info{service="api",version="0.0.0",commit="development"} 1');
  });

  it('has metrics of the database, the clock, and the certificate that clients see', async () => {
    const text = await (await fetch(metricsUrl)).text();
    const value = (series: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${series} `))
          ?.split(' ')[1],
      );
    expect(value('causeway_database_connections')).toBeGreaterThan(0);
    expect(value('causeway_database_max_connections')).toBeGreaterThan(value('causeway_database_connections'));
    expect(value('causeway_database_oldest_transaction_seconds')).toBeGreaterThanOrEqual(0);
    expect(value('causeway_database_size_bytes')).toBeGreaterThan(1_000_000);
    expect(value('causeway_database_pool_waiting')).toBe(0);
    expect(Math.abs(value('causeway_clock_offset_seconds'))).toBeLessThan(1);
    expect(value('causeway_certificate_days_left{certificate="public-origin"}')).toBeGreaterThan(10_000);
    expect(text).not.toContain('certificate="database"');
  });

  it('is served on its own port only', async () => {
    expect((await fetch(new URL('/api/v1/bridge/config', metricsUrl))).status).toBe(404);
    expect([404, 429]).toContain(await get('/metrics'));
  });
});
