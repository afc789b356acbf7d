import {
  certificateOfFile,
  serveMetrics,
  watchCertificates,
  watchDatabase,
  type MetricsServer,
} from '@causeway/service/http';
import type { Store } from '@causeway/store';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Configuration } from '../configuration.js';
import { CONFIGURATION, LOGGER, STORE } from '../infrastructure.js';
import { MetricsCollector } from './collector.js';
import { RelayerHealth } from './relayer-health.js';
import { RelayerMetrics } from './relayer-metrics.js';

/** Serves `/metrics` and the health checks on a separate port, when METRICS_PORT is set. */
@Injectable()
export class MetricsListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: MetricsServer | null = null;

  constructor(
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(STORE) private readonly store: Store,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly collector: MetricsCollector,
    private readonly metrics: RelayerMetrics,
    private readonly health: RelayerHealth,
  ) {}

  /** @throws Error when the port is taken. */
  async onApplicationBootstrap(): Promise<void> {
    const { configuration, collector, metrics, health, logger } = this;
    if (configuration.metrics === null) return;
    const { server } = this.store;
    watchDatabase(metrics.registry, server);
    const { signer, exchange } = configuration;
    const tls = exchange?.tls ?? null;
    watchCertificates(metrics.registry, {
      database: () => server.certificateEnd(),
      ...(signer.kind === 'remote' ? { 'signer-client': certificateOfFile(signer.certificateFile) } : {}),
      ...(tls === null ? {} : { exchange: certificateOfFile(tls.certificateFile) }),
    });
    const beforeScrape = async () => collector.collect();
    const monitored = { service: 'relayer', registry: metrics.registry, health, beforeScrape };
    this.server = await serveMetrics(monitored, configuration.metrics, logger);
    logger.info({ url: this.server.url }, 'metrics and health are served');
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server?.close();
  }
}
