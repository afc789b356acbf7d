import { serveMetrics } from '@causeway/http';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Configuration } from '../configuration.js';
import { CONFIGURATION, LOGGER } from '../infrastructure.js';
import { MetricsCollector } from './collector.js';

/** Serves `/metrics` on a listener of its own, when METRICS_PORT is set. */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private close: (() => Promise<void>) | null = null;

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
    this.close = await serveMetrics({ contentType, metrics: () => this.collector.scrape() }, metrics, this.logger);
    this.logger.info({ ...metrics }, 'metrics are served');
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close?.();
  }
}
