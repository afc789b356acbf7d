import type { OnApplicationShutdown } from '@nestjs/common';
import { context, propagation, SpanKind, SpanStatusCode, trace, type Context, type Span } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isHash } from 'viem';

/** Makes a span per request in the caller's trace (W3C Trace Context), and a child span per node request. */
export class Tracing implements OnApplicationShutdown {
  private readonly tracer = trace.getTracer('causeway-api');
  private readonly open = new WeakMap<FastifyRequest, { readonly span: Span; readonly context: Context }>();

  /** @param flush sends the ended spans, and stops the export. */
  constructor(private readonly flush: () => Promise<void>) {}

  /** Must be called before the routes are registered. */
  install(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, _reply, done) => {
      this.begin(request);
      done();
    });
    // The body arrives outside the trace context, so the handler enters the context here.
    fastify.addHook('preHandler', (request, _reply, done) => {
      context.with(this.open.get(request)?.context ?? context.active(), done);
    });
    fastify.addHook('onResponse', (request, reply, done) => {
      this.end(request, reply.statusCode);
      done();
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.flush();
  }

  private begin(request: FastifyRequest): void {
    const route = request.is404 ? undefined : request.routeOptions.url;
    const parent = propagation.extract(context.active(), request.headers);
    const operationId = findOperationId(request.query);
    const attributes = {
      'http.request.method': request.method,
      'url.path': request.url.split('?', 1)[0],
      'causeway.request_id': request.id,
      ...(route === undefined ? {} : { 'http.route': route }),
      ...(operationId === null ? {} : { 'causeway.operation.id': operationId }),
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

/** The operation id that a request names, only if well-formed, since clients can send anything. */
function findOperationId(query: unknown): string | null {
  if (typeof query !== 'object' || query === null) return null;
  const { depositId, withdrawId, intentId } = query as Readonly<Record<string, unknown>>;
  const id = [depositId, withdrawId, intentId].find((each) => typeof each === 'string' && isHash(each));
  return typeof id === 'string' ? id.toLowerCase() : null;
}
