import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** All figures in the text format of Prometheus. A `Registry` of prom-client is one. */
interface MetricsSource {
  readonly contentType: string;
  metrics(): Promise<string>;
}

/** Creates a server for `/metrics` alone, so that callers of the public port cannot reach it. */
export function createMetricsServer(
  source: MetricsSource,
  logger: { error(details: object, message: string): void },
): Server {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      if (request.url?.split('?')[0] !== '/metrics') {
        response.writeHead(404).end();
        return;
      }
      const text = await source.metrics();
      response.writeHead(200, { 'content-type': source.contentType }).end(text);
    } catch (error) {
      logger.error({ err: error }, 'The metrics could not be collected');
      response.writeHead(500).end();
    }
  };
  return createServer((request, response) => void answer(request, response));
}

/**
 * Starts a server for `/metrics`.
 *
 * @returns ends it.
 * @throws Error when the port is taken.
 */
export async function serveMetrics(
  source: MetricsSource,
  { host, port }: { readonly host: string; readonly port: number },
  logger: { error(details: object, message: string): void },
): Promise<() => Promise<void>> {
  const server = createMetricsServer(source, logger);
  server.listen(port, host);
  await once(server, 'listening');
  return async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
}
