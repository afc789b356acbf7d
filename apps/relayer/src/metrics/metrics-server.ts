import { once } from 'node:events';
import type { Server } from 'node:http';
import { createMetricsServer } from '@causeway/http';
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
    const { contentType } = this.collector;
    this.server = createMetricsServer({ contentType, metrics: () => this.collector.scrape() }, this.logger);
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
}
