import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';

/** Serves `/metrics` on a listener of its own, so that callers cannot reach it. */
export class MetricsServer {
  private readonly server: Server;

  constructor(
    private readonly registry: Registry,
    private readonly logger: { error(details: object, message: string): void },
  ) {
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  /**
   * @param port 0 for a free one.
   * @returns the address of the metrics.
   * @throws Error if it cannot listen there.
   */
  async listen(host: string, port: number): Promise<string> {
    this.server.listen(port, host);
    await once(this.server, 'listening');
    const { port: bound } = this.server.address() as AddressInfo;
    return `http://${host.includes(':') ? `[${host}]` : host}:${bound}/metrics`;
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (request.url?.split('?')[0] !== '/metrics') {
        response.writeHead(404).end();
        return;
      }
      const text = await this.registry.metrics();
      response.writeHead(200, { 'content-type': this.registry.contentType }).end(text);
    } catch (error) {
      this.logger.error({ err: error }, 'The metrics could not be collected');
      response.writeHead(500).end();
    }
  }
}
