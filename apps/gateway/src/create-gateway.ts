import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Logger } from 'nestjs-pino';
import type { Backend } from './backend/backend.js';
import type { Configuration } from './config/configuration.js';
import { GatewayModule, type GatewayOptions } from './gateway.module.js';
import { HttpEndpoint } from './transport/http-endpoint.js';
import { WebSocketEndpoint } from './transport/web-socket-endpoint.js';

/** How long a client may take to send its request: slower ones hold memory for nothing. */
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * The gateway as an application that is not listening yet. It ends the backend when it is closed.
 *
 * @throws Error if it cannot be put together; the backend is then still the caller's to close.
 */
export async function createGateway(
  configuration: Configuration,
  backend: Backend,
  options: GatewayOptions,
): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit: configuration.bodyLimit,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Who does not read an answer does not keep it in memory for ever.
    connectionTimeout: configuration.idleTimeoutMs,
    // Clients that offer HTTP/2 on the way (`Upgrade: h2c`) are answered over HTTP/1.1, not refused.
    http: { shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket' },
  });
  adapter.getInstance().removeContentTypeParser('text/plain');
  const module = GatewayModule.from(configuration, backend, options);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    bufferLogs: true,
    abortOnError: false,
  });
  app.useLogger(app.get(Logger));
  app.get(HttpEndpoint).register(adapter.getInstance());
  const server = app.getHttpServer();
  server.maxConnections = configuration.maxConnections;
  app.get(WebSocketEndpoint).attach(server);
  return app;
}
