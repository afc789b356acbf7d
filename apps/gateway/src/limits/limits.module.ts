import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { CONFIGURATION, type Configuration } from '../config/configuration.js';
import { LOGGER } from '../config/logger.js';
import { GatewayMetrics } from '../metrics/gateway-metrics.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { connectRedis } from './connect-redis.js';
import { createRateLimiter } from './create-rate-limiter.js';
import { ExemptAddresses } from './exempt-addresses.js';
import { RateLimiter } from './rate-limiter.js';

const REDIS = Symbol('Redis');

/** Counts calls, in this process or with other gateways in Redis. */
@Module({
  imports: [MetricsModule],
  providers: [
    {
      provide: REDIS,
      inject: [CONFIGURATION, LOGGER],
      useFactory: ({ redisUrl }: Configuration, logger: Logger) =>
        redisUrl === null ? null : connectRedis(redisUrl, logger),
    },
    {
      provide: ExemptAddresses,
      inject: [CONFIGURATION],
      useFactory: ({ rateLimits }: Configuration) => new ExemptAddresses(rateLimits.exemptAddresses),
    },
    {
      provide: RateLimiter,
      inject: [CONFIGURATION, ExemptAddresses, REDIS, GatewayMetrics],
      useFactory: (
        { rateLimits }: Configuration,
        exempt: ExemptAddresses,
        redis: Redis | null,
        metrics: GatewayMetrics,
      ) => createRateLimiter(rateLimits, { exempt, redis, onRefused: (calls) => metrics.refused('rate', calls) }),
    },
  ],
  exports: [ExemptAddresses, RateLimiter],
})
export class LimitsModule implements OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: Redis | null) {}

  onApplicationShutdown(): void {
    this.redis?.disconnect();
  }
}
