import type { OnApplicationShutdown } from '@nestjs/common';
import { context, propagation, SpanKind, SpanStatusCode, trace, type Context, type Span } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { withTimeout } from '../last-known-value.js';

/** Where the spans go, and under which name. */
export interface TracingOptions {
  /** The address of a collector that speaks OTLP over HTTP. */
  readonly endpoint: string;
  readonly serviceName: string;
}

/** The last spans are dropped when the collector takes longer at the shutdown. */
const FLUSH_TIMEOUT_MS = 1_000;

/**
 * A span for each request, in the trace of the caller (W3C Trace Context), and below it one for each request to a node.
 */
export class Tracing implements OnApplicationShutdown {
  private readonly tracer = trace.getTracer('causeway-api');
  private readonly open = new WeakMap<FastifyRequest, { readonly span: Span; readonly context: Context }>();

  /** @param flush sends the spans that have ended, and ends the export. */
  constructor(private readonly flush: () => Promise<void>) {}

  /** Must be called before the routes are registered. */
  install(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, _reply, done) => {
      this.begin(request);
      done();
    });
    // The body arrives outside the context, so the handler enters it here.
    fastify.addHook('preHandler', (request, _reply, done) => {
      context.with(this.open.get(request)?.context ?? context.active(), done);
    });
    fastify.addHook('onResponse', (request, reply, done) => {
      this.end(request, reply.statusCode);
      done();
    });
  }

  async onApplicationShutdown(): Promise<void> {
    const timeout = withTimeout(this.flush(), FLUSH_TIMEOUT_MS, () => new Error('the collector does not answer'));
    // No exporter is left that could take them.
    await timeout.catch(() => undefined);
  }

  private begin(request: FastifyRequest): void {
    const route = request.is404 ? undefined : request.routeOptions.url;
    const parent = propagation.extract(context.active(), request.headers);
    const attributes = {
      'http.request.method': request.method,
      'url.path': request.url.split('?', 1)[0],
      'causeway.request_id': request.id,
      ...(route === undefined ? {} : { 'http.route': route }),
    };
    const name = route === undefined ? request.method : `${request.method} ${route}`;
    const span = this.tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
    this.open.set(request, { span, context: trace.setSpan(parent, span) });
  }

  private end(request: FastifyRequest, status: number): void {
    const span = this.open.get(request)?.span;
    span?.setAttribute('http.response.status_code', status);
    if (status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
  }
}
