import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Configuration } from '../configuration.js';
import { CONFIGURATION, LOGGER } from '../infrastructure.js';
import { MetricsCollector } from './collector.js';

/** Serves `/metrics` on a listener of its own, when METRICS_PORT is set. */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: Server | null = null;

  constructor(
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly collector: MetricsCollector,
  ) {}

  /** @throws Error when the port is taken. */
  async onApplicationBootstrap(): Promise<void> {
    const { metrics } = this.configuration;
    if (metrics === null) return;
    this.server = createServer((request, response) => void this.answer(request, response));
    this.server.listen(metrics.port, metrics.host);
    await once(this.server, 'listening');
    this.logger.info({ ...metrics }, 'metrics are served');
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.server === null) return;
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
      const text = await this.collector.scrape();
      response.writeHead(200, { 'content-type': this.collector.contentType }).end(text);
    } catch (error) {
      this.logger.error({ err: error }, 'the metrics could not be collected');
      response.writeHead(500).end();
    }
  }
}
