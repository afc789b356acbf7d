import { performance } from 'node:perf_hooks';
import { Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIGURATION, type Configuration } from '../config/configuration.js';
import { LOGGER } from '../config/logger.js';
import { GatewayMetrics } from '../metrics/gateway-metrics.js';
import { LoggedCalls } from '../metrics/logged-calls.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { JsonRpcDispatcher } from './json-rpc-dispatcher.js';
import { METHODS, type Methods } from './methods.js';

/** Carries calls out. */
@Module({
  imports: [MetricsModule],
  providers: [
    {
      provide: JsonRpcDispatcher,
      inject: [CONFIGURATION, METHODS, GatewayMetrics, LOGGER],
      useFactory: (configuration: Configuration, methods: Methods, metrics: GatewayMetrics, logger: Logger) => {
        const { batchLimit, batchAnswerLimit, callTimeoutMs } = configuration;
        return new JsonRpcDispatcher({
          methods,
          batchLimit,
          batchAnswerLimit,
          callTimeoutMs,
          observer: logger.isLevelEnabled('debug') ? new LoggedCalls(metrics, logger) : metrics,
          logger,
          now: () => performance.now(),
        });
      },
    },
  ],
  exports: [JsonRpcDispatcher],
})
export class JsonRpcModule {}
