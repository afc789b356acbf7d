import { serveMetrics, type MetricsServer } from '@causeway/http';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import type { Configuration } from './configuration.js';
import { HealthService } from './health.js';
import { CONFIGURATION } from './infrastructure.js';
import { ApiMetrics } from './server/metrics.js';

/** Serves `/metrics` and the health on a listener of their own, when METRICS_PORT is set. */
@Injectable()
export class MetricsListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: MetricsServer | null = null;

  constructor(
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly metrics: ApiMetrics,
    private readonly health: HealthService,
    private readonly logger: PinoLogger,
  ) {}

  /** @throws Error when the port is taken. */
  async onApplicationBootstrap(): Promise<void> {
    const { metrics: address } = this.configuration;
    if (address === null) return;
    const monitored = { service: 'api', registry: this.metrics.registry, health: this.health };
    this.server = await serveMetrics(monitored, address, this.logger).catch((cause: unknown) => {
      const rule = `METRICS_HOST and METRICS_PORT must name a free address, not ${address.host}:${address.port}`;
      throw new Error(rule, { cause });
    });
    this.logger.info({ url: this.server.url }, 'metrics and health are served');
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server?.close();
  }
}
