import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PostgresServer } from '@causeway/test-kit';
import { freePort, migratedDatabase, startApiProcess, type ApiProcess } from './api-process.js';

let database: PostgresServer;
let api: ApiProcess;
let metricsUrl: string;
beforeAll(async () => {
  database = await migratedDatabase();
  const port = await freePort();
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  api = await startApiProcess(database.url, { METRICS_PORT: String(port), RATE_LIMIT_PER_MINUTE: '8' });
});
afterAll(async () => {
  await api?.stop();
  await database?.stop();
});

const get = async (path: string, method = 'GET') => (await fetch(api.url + path, { method })).status;

describe('/metrics', () => {
  it('counts answers by endpoint and status, and has no text that a client invents', async () => {
    await get('/api/v1/bridge/refunds/0xabcdef?x=abcdef');
    await get('/api/v1/bridge/abcdef');
    await get('/api/v1/bridge/abcdef', 'PROPFIND');
    const statuses: number[] = [];
    while (!statuses.includes(429)) statuses.push(await get('/health/live'));
    const text = await (await fetch(metricsUrl)).text();
    expect(text).toContain(
      'causeway_api_request_seconds_count{endpoint="/api/v1/bridge/refunds/:id",method="GET",status="400"} 1',
    );
    // The start of the test asks for a path that is not an endpoint, too.
    expect(text).toMatch(/causeway_api_request_seconds_count\{endpoint="none",method="none",status="404"\} [3-9]/);
    expect(text).toContain('endpoint="/health/live",method="GET",status="429"');
    expect(text).toContain('causeway_api_refusals_total{unit="requests"} 1');
    expect(text).toContain('causeway_api_database_up 1');
    expect(text).toContain('causeway_api_node_usable{chain="ethereum",node="127.0.0.1:9"} 0');
    expect(text).toContain('causeway_api_quorum{chain="partner"} 1');
    expect(text).toContain('process_cpu_seconds_total');
    expect(text).not.toContain('abcdef');
  });

  it('has the health of the process beside it, without a rate', async () => {
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

  it('is served on its own port only', async () => {
    expect((await fetch(new URL('/api/v1/bridge/config', metricsUrl))).status).toBe(404);
    expect([404, 429]).toContain(await get('/metrics'));
  });
});
