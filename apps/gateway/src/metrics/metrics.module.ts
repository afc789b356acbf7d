import { Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { BACKEND } from '../backend-token.js';
import type { Backend } from '../backends/backend.js';
import { CONFIGURATION, type Configuration } from '../config/configuration.js';
import { LOGGER } from '../config/logger.js';
import { GatewayMetrics } from './gateway-metrics.js';
import { MetricsServer } from './metrics-server.js';
import { watchBackend } from './watch-backend.js';

/** Measures the gateway; serves the figures where METRICS_PORT says. */
@Module({
  providers: [
    {
      provide: GatewayMetrics,
      inject: [BACKEND],
      useFactory: (backend: Backend) => {
        const metrics = new GatewayMetrics();
        watchBackend(metrics, backend);
        return metrics;
      },
    },
    {
      provide: MetricsServer,
      inject: [GatewayMetrics, LOGGER],
      useFactory: (metrics: GatewayMetrics, logger: Logger) => new MetricsServer(metrics, logger),
    },
  ],
  exports: [GatewayMetrics],
})
export class MetricsModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly metrics: GatewayMetrics,
    private readonly server: MetricsServer,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { metrics } = this.configuration;
    if (metrics === null) return;
    this.metrics.watchProcess();
    const url = await this.server.listen(metrics.host, metrics.port);
    this.logger.info({ url }, 'Metrics are served');
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server.close();
  }
}
