import { Module } from '@nestjs/common';
import { APP_FILTER, HttpAdapterHost } from '@nestjs/core';
import type { Server } from 'node:http';
import type { Logger } from 'pino';
import { BACKEND } from '../backend-token.js';
import type { Backend } from '../backends/backend.js';
import { CONFIGURATION, type Configuration } from '../config/configuration.js';
import { LOGGER } from '../config/logger.js';
import { JsonRpcDispatcher } from '../jsonrpc/json-rpc-dispatcher.js';
import { JsonRpcModule } from '../jsonrpc/json-rpc.module.js';
import { ConnectionLimiter } from '../limits/connection-limiter.js';
import { ExemptAddresses } from '../limits/exempt-addresses.js';
import { LimitsModule } from '../limits/limits.module.js';
import { RateLimiter } from '../limits/rate-limiter.js';
import { GatewayMetrics } from '../metrics/gateway-metrics.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { Cors } from './cors.js';
import { ErrorFilter } from './error.filter.js';
import { GracefulShutdown } from './graceful-shutdown.js';
import { HttpEndpoint } from './http-endpoint.js';
import { ClientMemory } from './client-memory.js';
import { UnroutedRequests } from './unrouted-requests.js';
import { WebSocketEndpoint } from './web-socket-endpoint.js';

/** What may be kept for one client: so many batches of the longest answers. */
const KEPT_BATCHES = 4;

/** Serves calls over HTTP and WebSocket, and ends in order. */
@Module({
  imports: [JsonRpcModule, LimitsModule, MetricsModule],
  providers: [
    ErrorFilter,
    { provide: APP_FILTER, useExisting: ErrorFilter },
    {
      provide: Cors,
      inject: [CONFIGURATION],
      useFactory: ({ corsOrigins }: Configuration) => new Cors(corsOrigins),
    },
    {
      provide: ClientMemory,
      inject: [CONFIGURATION, ExemptAddresses],
      useFactory: ({ batchAnswerLimit }: Configuration, exempt: ExemptAddresses) =>
        new ClientMemory(KEPT_BATCHES * batchAnswerLimit, exempt),
    },
    {
      provide: HttpEndpoint,
      inject: [CONFIGURATION, JsonRpcDispatcher, RateLimiter, ClientMemory, Cors, LOGGER],
      useFactory: (
        { bodyLimit, trustedProxyHops }: Configuration,
        dispatcher: JsonRpcDispatcher,
        limiter: RateLimiter,
        memory: ClientMemory,
        cors: Cors,
        logger: Logger,
      ) => new HttpEndpoint({ dispatcher, limiter, memory, cors, bodyLimit, trustedProxyHops, logger }),
    },
    {
      provide: UnroutedRequests,
      inject: [CONFIGURATION, Cors, RateLimiter, ErrorFilter],
      useFactory: ({ trustedProxyHops }: Configuration, cors: Cors, limiter: RateLimiter, errors: ErrorFilter) =>
        new UnroutedRequests({ cors, limiter, errors, trustedProxyHops }),
    },
    {
      provide: WebSocketEndpoint,
      inject: [CONFIGURATION, JsonRpcDispatcher, RateLimiter, ClientMemory, Cors, ConnectionLimiter, GatewayMetrics],
      useFactory: (
        { bodyLimit, trustedProxyHops, webSocket }: Configuration,
        dispatcher: JsonRpcDispatcher,
        limiter: RateLimiter,
        memory: ClientMemory,
        cors: Cors,
        connections: ConnectionLimiter,
        metrics: GatewayMetrics,
      ) => {
        const onRefused = () => metrics.refused('connections', 1);
        const parts = {
          dispatcher,
          limiter,
          memory,
          cors,
          connections,
          bodyLimit,
          trustedProxyHops,
          ...webSocket,
          onRefused,
        };
        const endpoint = new WebSocketEndpoint(parts);
        metrics.watch('websocket_connections', 'Open WebSocket connections', () => endpoint.size);
        return endpoint;
      },
    },
    {
      provide: GracefulShutdown,
      inject: [CONFIGURATION, JsonRpcDispatcher, WebSocketEndpoint, BACKEND, HttpAdapterHost],
      useFactory: (
        { shutdownTimeoutMs }: Configuration,
        dispatcher: JsonRpcDispatcher,
        webSockets: WebSocketEndpoint,
        backend: Backend,
        host: HttpAdapterHost,
      ) => {
        const server = (): Server => host.httpAdapter.getHttpServer();
        return new GracefulShutdown({ dispatcher, webSockets, backend, server, timeoutMs: shutdownTimeoutMs });
      },
    },
  ],
})
export class TransportModule {}
