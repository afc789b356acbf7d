import { createServer, type RequestListener } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Logger } from 'nestjs-pino';
import type { Backend } from './backends/backend.js';
import type { Configuration } from './config/configuration.js';
import { GatewayModule, type GatewayOptions } from './gateway.module.js';
import { Cors } from './transport/cors.js';
import { HttpEndpoint } from './transport/http-endpoint.js';
import { registerOtherRequests } from './transport/other-requests.js';
import { refuseBrokenRequest } from './transport/refuse-broken-request.js';
import { UnroutedRequests } from './transport/unrouted-requests.js';
import { WebSocketEndpoint } from './transport/web-socket-endpoint.js';

/** How long a client may take to send its request: slower ones hold memory for nothing. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than the minute after which proxies in front of the gateway usually give an idle connection up: it must not be the gateway that does. */
const KEEP_ALIVE_MS = 72_000;

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
  const server = createServer({
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Clients that offer HTTP/2 on the way (`Upgrade: h2c`) are answered over HTTP/1.1, not refused.
    shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
  });
  // Who does not read an answer does not keep it in memory for ever.
  server.setTimeout(configuration.idleTimeoutMs);
  server.maxConnections = configuration.maxConnections;
  const adapter = new FastifyAdapter({
    bodyLimit: configuration.bodyLimit,
    serverFactory: (answerOthers: RequestListener) => server.on('request', answerOthers),
    // What Fastify's router refuses before NestJS hears of it, and Node's server before Fastify does.
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
      void app.get(UnroutedRequests).refuse(error, request, reply),
    clientErrorHandler: refuseBrokenRequest,
  });
  // Nothing but calls has a body that is looked at: others are not even read.
  adapter.getInstance().removeAllContentTypeParsers();
  adapter.getInstance().addContentTypeParser('*', (_request, _body, parsed) => parsed(null));
  const module = GatewayModule.from(configuration, backend, options);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    bufferLogs: true,
    abortOnError: false,
  });
  app.useLogger(app.get(Logger));
  registerOtherRequests(adapter.getInstance(), app.get(Cors));
  app.get(HttpEndpoint).attach(server);
  app.get(WebSocketEndpoint).attach(server);
  return app;
}
