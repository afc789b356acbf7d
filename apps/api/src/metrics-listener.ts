import {
  certificateOfOrigin,
  serveMetrics,
  watchCertificates,
  watchDatabase,
  type MetricsServer,
} from '@causeway/service/http';
import type { Store } from '@causeway/store';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import type { Configuration } from './configuration.js';
import { HealthService } from './health.js';
import { CONFIGURATION, STORE } from './infrastructure.js';
import { ApiMetrics } from './server/metrics.js';

/** Serves `/metrics` and health on a separate listener if METRICS_PORT is set. */
@Injectable()
export class MetricsListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: MetricsServer | null = null;

  constructor(
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(STORE) private readonly store: Store,
    private readonly metrics: ApiMetrics,
    private readonly health: HealthService,
    private readonly logger: PinoLogger,
  ) {}

  /** @throws Error when the port is in use. */
  async onApplicationBootstrap(): Promise<void> {
    const { metrics: address } = this.configuration;
    if (address === null) return;
    const { server } = this.store;
    const { registry } = this.metrics;
    watchDatabase(registry, server);
    watchCertificates(registry, {
      database: () => server.certificateEnd(),
      'public-origin': certificateOfOrigin(this.configuration.publicOrigin),
    });
    const monitored = { service: 'api', registry, health: this.health };
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
