import { afterEach, describe, expect, it } from '@jest/globals';
import { connect } from './setup/messages.js';
import { startTestGateway, type TestGateway } from './setup/gateway.js';

const post = ({ url }: TestGateway, body: string) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
const call = (method: string) => JSON.stringify({ jsonrpc: '2.0', id: 1, method });

describe('Health, metrics and logs', () => {
  let gateway: TestGateway;
  afterEach(() => gateway.close());

  const metricsUrl = () => {
    const line = gateway.log.find((each) => each.includes('Metrics and health are served'));
    return JSON.parse(line ?? '{}').url as string;
  };
  const metrics = async () => (await fetch(metricsUrl())).text();

  it('is healthy while the backend can answer, else answers 503 with the same body', async () => {
    gateway = await startTestGateway();
    const healthy = await fetch(`${gateway.url}/health`);
    expect(healthy.status).toBe(200);
    expect(healthy.headers.get('cache-control')).toBe('no-store');
    const report = await healthy.json();
    expect(report).toEqual({
      status: 'healthy',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      uptimeSeconds: expect.any(Number),
      backend: gateway.backend.status(),
    });

    gateway.backend.available = false;
    const unhealthy = await fetch(`${gateway.url}/health`);
    expect(unhealthy.status).toBe(503);
    expect(await unhealthy.json()).toMatchObject({ status: 'unhealthy', backend: { available: false } });
  });

  it('is ready while the backend can answer, and live, at the public port and at the metrics port', async () => {
    gateway = await startTestGateway({ METRICS_PORT: '0' });
    const ask = async (path: string) => {
      const answers = [gateway.url, metricsUrl()].map(async (url) => {
        const response = await fetch(new URL(path, url));
        return { status: response.status, body: await response.json() };
      });
      const [outside, inside] = await Promise.all(answers);
      expect(outside).toEqual(inside);
      return outside;
    };
    const ready = { status: 'healthy', components: { backend: { connected: true, latencyMs: null } } };
    expect(await ask('/health/ready')).toEqual({ status: 200, body: ready });
    gateway.backend.available = false;
    const backend = { connected: false, latencyMs: null, problem: 'no answer' };
    expect(await ask('/health/ready')).toEqual({
      status: 503,
      body: { status: 'unhealthy', components: { backend } },
    });
    expect(await ask('/health/live')).toEqual({ status: 200, body: { status: 'healthy', components: {} } });
    expect(await metrics()).toContain('causeway_ready{service="gateway"} 0');
    expect(await metrics()).toMatch(/causeway_build_info\{service="gateway",version="[\d.]+",commit="development"\} 1/);
  });

  it('measures calls, batches, connections, refusals and the backend', async () => {
    gateway = await startTestGateway({ METRICS_PORT: '0', RATE_LIMIT_PER_MINUTE: '6', WS_CONNECTIONS_PER_IP: '1' });
    await post(gateway, call('test_echo'));
    await post(gateway, call('test_fail'));
    await post(gateway, `[${call('test_echo')},${call('made_up_by_a_caller')},1]`);
    await post(gateway, `[${call('test_echo')},${call('test_echo')}]`);
    const socket = await connect(`${gateway.webSocketUrl}/ws`);
    await expect(connect(`${gateway.webSocketUrl}/ws`)).rejects.toThrow('429');

    const text = await metrics();
    for (const line of [
      'causeway_gateway_calls_total{method="test_echo",code="0"} 3',
      'causeway_gateway_calls_total{method="test_fail",code="-32603"} 1',
      'causeway_gateway_calls_total{method="other",code="-32601"} 1',
      'causeway_gateway_calls_total{method="other",code="-32600"} 1',
      'causeway_gateway_calls_total{method="test_echo",code="-32005"} 1',
      'causeway_gateway_call_seconds_count{method="test_echo"} 3',
      'causeway_gateway_batch_calls_bucket{le="2"} 1',
      'causeway_gateway_batch_calls_sum 5',
      'causeway_gateway_refusals_total{reason="rate"} 1',
      'causeway_gateway_refusals_total{reason="connections"} 1',
      'causeway_gateway_websocket_connections 1',
      'causeway_gateway_backend_available 1',
      'causeway_gateway_backend_block_number 7',
      'causeway_gateway_node_healthy{node="node-1"} 1',
      'causeway_gateway_node_healthy{node="node-2"} 0',
      'causeway_gateway_node_latency_seconds{node="node-1"} 0.012',
    ]) {
      expect(text.split('\n')).toContain(line);
    }
    expect(text).toContain('process_cpu_user_seconds_total');
    expect(text).not.toContain('made_up_by_a_caller');
    socket.terminate();
  });

  it('serves metrics on their own listener only', async () => {
    gateway = await startTestGateway({ METRICS_PORT: '0' });
    expect((await fetch(`${gateway.url}/metrics`)).status).toBe(404);
    expect((await fetch(metricsUrl())).headers.get('content-type')).toContain('text/plain');
    expect((await fetch(new URL('/', metricsUrl()))).status).toBe(404);
    const url = metricsUrl();
    await gateway.close();
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('has no metrics listener by default', async () => {
    gateway = await startTestGateway();
    expect(metricsUrl()).toBeUndefined();
  });

  it('does not start if the metrics port is in use', async () => {
    gateway = await startTestGateway({ METRICS_PORT: '0' });
    await expect(startTestGateway({ METRICS_PORT: new URL(metricsUrl()).port })).rejects.toThrow('EADDRINUSE');
  });

  it('logs calls at debug only', async () => {
    gateway = await startTestGateway({ LOG_LEVEL: 'debug' });
    await post(gateway, `[${call('test_echo')}]`);
    const lines = gateway.log.map((line) => JSON.parse(line));
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'Call', method: 'test_echo', code: 0 }));
    await gateway.close();

    gateway = await startTestGateway();
    const before = gateway.log.length;
    await post(gateway, call('test_echo'));
    expect(gateway.log).toHaveLength(before);
  });
});
