import { randomUUID } from 'node:crypto';
import type { AddressBook } from '@causeway/protocol';
import { Cors, refuseBrokenRequest, refuseOnSocket, type TracingOptions } from '@causeway/service/http';
import type { DynamicModule, Provider } from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Logger } from 'nestjs-pino';
import type { Configuration } from '../configuration.js';
import { installDeprecations } from '../openapi/deprecations.js';
import { ENDPOINTS } from '../openapi/endpoints.js';
import { AnswerHeaders } from './answer-headers.js';
import { ClientLimits } from './client-limits.js';
import { ErrorFilter } from './errors.js';
import { installJsonBody } from './json-body.js';
import { ApiMetrics } from './metrics.js';
import { RequestChecks } from './request-checks.js';
import { Drain } from './shutdown.js';
import { Tracing } from './tracing.js';

const BODY_LIMIT_BYTES = 64 * 1024;
/** How often Node checks for requests that take too long to arrive, in milliseconds. */
const CONNECTIONS_CHECK_MS = 1_000;

/** Providers of the hooks that `createServer` installs. */
export function serverProviders({ corsOrigins, tracing, addressBook }: Configuration): Provider[] {
  return [
    { provide: Cors, useValue: new Cors(corsOrigins) },
    AnswerHeaders,
    ApiMetrics,
    { provide: Tracing, useFactory: async () => (tracing === null ? null : loadTracing(tracing, addressBook)) },
    ClientLimits,
    RequestChecks,
    Drain,
    ErrorFilter,
    { provide: APP_FILTER, useExisting: ErrorFilter },
  ];
}

async function loadTracing(options: TracingOptions, { partner }: AddressBook): Promise<Tracing> {
  const { startInTrace, startTracing } = await import('@causeway/service/tracing');
  return new Tracing({ partner, startInTrace, flush: startTracing(options) });
}

/** Creates the HTTP server of a module. The caller must make it listen; until then requests can be injected. */
export async function createServer(module: DynamicModule, { http }: Configuration): Promise<NestFastifyApplication> {
  const filter = (): ErrorFilter => app.get(ErrorFilter);
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_LIMIT_BYTES,
    // At shutdown, running requests finish and idle connections are closed.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    requestTimeout: http.requestTimeoutMs,
    keepAliveTimeout: http.idleTimeoutMs,
    connectionTimeout: http.idleTimeoutMs,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: BODY_LIMIT_BYTES },
    http: {
      // The request checks do this: Node's own refusal has no body.
      requireHostHeader: false,
      headersTimeout: http.requestTimeoutMs,
      connectionsCheckingInterval: Math.min(CONNECTIONS_CHECK_MS, http.requestTimeoutMs),
    },
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      filter().answer(error, request, reply),
    clientErrorHandler: refuseBrokenRequest((status) => filter().makeRefusal(status)),
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    bufferLogs: true,
    abortOnError: false,
  });
  const fastify = adapter.getInstance();
  installJsonBody(fastify);
  app.get<Tracing | null>(Tracing)?.install(fastify);
  installDeprecations(fastify, ENDPOINTS);
  app.get(RequestChecks).install(fastify);
  app.get(ApiMetrics).install(fastify);
  // Ignores unknown expectations (RFC 9110, section 10.1.1). Node's own 417 has no body.
  fastify.server.on('checkExpectation', (request, response) => fastify.server.emit('request', request, response));
  // Without a listener, Node closes the connection without a response.
  fastify.server.on('connect', (_request, socket) => refuseOnSocket(socket, 405, filter().makeRefusal(405)));
  app.useLogger(app.get(Logger));
  return app;
}
