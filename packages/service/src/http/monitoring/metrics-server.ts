import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import type { HealthChecks, HealthReport } from './health.js';
import { describeProcess } from './process-metrics.js';

/** The parts of a service for monitoring. */
interface MonitoredService {
  /** Name of the service, such as `api`. */
  readonly service: string;
  /** The service's own metrics. The metrics of every service are added. */
  readonly registry: Registry;
  readonly health: HealthChecks;
  /** Called before each scrape. */
  readonly beforeScrape?: () => Promise<void>;
}

/** A running metrics server. */
export interface MetricsServer {
  /** Such as http://127.0.0.1:9464. */
  readonly url: string;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body?: string;
}

/**
 * Serves only `/metrics`, `/health/live` and `/health/ready`, on a separate listener that callers of the public port
 * cannot reach.
 *
 * @throws Error when the port is taken.
 */
export async function serveMetrics(
  monitored: MonitoredService,
  { host, port }: { readonly host: string; readonly port: number },
  logger: { error(details: object, message: string): void },
): Promise<MetricsServer> {
  describeProcess(monitored);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, type, body } = await route(monitored, request).catch((error: unknown): Answer => {
      logger.error({ err: error }, 'The metrics could not be collected');
      return { status: 500 };
    });
    response.writeHead(status, {
      'cache-control': 'no-store',
      ...(type === undefined ? {} : { 'content-type': type }),
    });
    response.end(body);
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(port, host);
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function route({ registry, health, beforeScrape }: MonitoredService, { url }: IncomingMessage): Promise<Answer> {
  switch (url?.split('?')[0]) {
    case '/metrics':
      await beforeScrape?.();
      return { status: 200, type: registry.contentType, body: await registry.metrics() };
    case '/health/live':
      return toAnswer(await health.live());
    case '/health/ready':
      return toAnswer(await health.ready());
    default:
      return { status: 404 };
  }
}

function toAnswer(report: HealthReport): Answer {
  return {
    status: report.status === 'healthy' ? 200 : 503,
    type: 'application/json; charset=utf-8',
    body: JSON.stringify(report),
  };
}
