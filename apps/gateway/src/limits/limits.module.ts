import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { CONFIGURATION, type Configuration } from '../config/configuration.js';
import { LOGGER } from '../config/logger.js';
import { GatewayMetrics } from '../metrics/gateway-metrics.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { ConnectionLimiter } from './connection-limiter.js';
import { connectRedis } from './connect-redis.js';
import { createRateLimiter } from './create-rate-limiter.js';
import { ExemptAddresses } from './exempt-addresses.js';
import { RateLimiter } from './rate-limiter.js';
import { SharedPlaces } from './shared-places.js';

/** The connection to Redis of this gateway; null without one. */
export const REDIS = Symbol('Redis');

/** Counts calls and connections, in this process or with other gateways in Redis. */
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
      ) =>
        createRateLimiter(rateLimits, {
          exempt,
          redis,
          onRefused: (calls) => metrics.refused('rate', calls),
          onAlone: () => metrics.countedAlone('rate'),
        }),
    },
    {
      provide: SharedPlaces,
      inject: [CONFIGURATION, REDIS, GatewayMetrics],
      useFactory: (
        { webSocket: { connectionsPerAddress: most } }: Configuration,
        redis: Redis | null,
        metrics: GatewayMetrics,
      ) =>
        redis === null || most === 0 ? null : new SharedPlaces(redis, most, () => metrics.countedAlone('connections')),
    },
    {
      provide: ConnectionLimiter,
      inject: [CONFIGURATION, ExemptAddresses, SharedPlaces],
      useFactory: ({ webSocket }: Configuration, exempt: ExemptAddresses, shared: SharedPlaces | null) =>
        new ConnectionLimiter(webSocket.connectionsPerAddress, exempt, shared),
    },
  ],
  exports: [ConnectionLimiter, ExemptAddresses, RateLimiter],
})
export class LimitsModule implements OnApplicationShutdown {
  constructor(
    @Inject(REDIS) private readonly redis: Redis | null,
    @Inject(SharedPlaces) private readonly places: SharedPlaces | null,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.places?.close();
    this.redis?.disconnect();
  }
}
