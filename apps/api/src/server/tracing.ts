import { intentDigest, intentDomain, type AddressBook } from '@causeway/protocol';
import { bindOriginBodySchema, intentBodySchema, toSignedIntent } from '@causeway/protocol/rest';
import type { OnApplicationShutdown } from '@nestjs/common';
import {
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type SpanOptions,
} from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isHash } from 'viem';

/** The parts of the OpenTelemetry SDK, which is loaded only with a collector. */
interface TracingParts {
  readonly partner: AddressBook['partner'];
  /** See `@causeway/service/tracing`. */
  readonly startInTrace: (operationId: string, start: () => Span) => Span;
  /** Sends the ended spans, and stops the export. */
  readonly flush: () => Promise<void>;
}

/**
 * Makes a span per request, and a child span per node request. The span belongs to the caller's trace (W3C Trace
 * Context). That of an intent belongs to the intent's trace, in which the relayer continues, and links to the caller's.
 */
export class Tracing implements OnApplicationShutdown {
  private readonly tracer = trace.getTracer('causeway-api');
  private readonly startTimes = new WeakMap<FastifyRequest, number>();
  private readonly open = new WeakMap<FastifyRequest, { readonly span: Span; readonly context: Context }>();

  constructor(private readonly parts: TracingParts) {}

  /** Must be called before the routes are registered. */
  install(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, _reply, done) => {
      this.startTimes.set(request, Date.now());
      done();
    });
    // The body, which decides on the trace, has arrived. Its arrival left any context, so the handler enters it here.
    fastify.addHook('preHandler', (request, _reply, done) => {
      context.with(this.begin(request).context, done);
    });
    fastify.addHook('onResponse', (request, reply, done) => {
      this.end(request, reply.statusCode);
      done();
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.parts.flush();
  }

  private begin(request: FastifyRequest): { readonly span: Span; readonly context: Context } {
    const route = request.is404 ? undefined : request.routeOptions.url;
    const parent = propagation.extract(context.active(), request.headers);
    const intentId = request.method === 'POST' ? findIntentId(request.body, this.parts.partner) : null;
    const operationId = intentId ?? findOperationId(request.query);
    const attributes = {
      'http.request.method': request.method,
      'url.path': request.url.split('?', 1)[0],
      'causeway.request_id': request.id,
      ...(route === undefined ? {} : { 'http.route': route }),
      ...(operationId === null ? {} : { 'causeway.operation.id': operationId }),
    };
    const name = route === undefined ? request.method : `${request.method} ${route}`;
    const options = { kind: SpanKind.SERVER, attributes, startTime: this.startTimes.get(request) ?? Date.now() };
    const span =
      intentId === null
        ? this.tracer.startSpan(name, options, parent)
        : this.startInIntent(intentId, name, options, parent);
    const begun = { span, context: trace.setSpan(parent, span) };
    this.open.set(request, begun);
    return begun;
  }

  private startInIntent(intentId: string, name: string, options: SpanOptions, caller: Context): Span {
    const from = trace.getSpanContext(caller);
    const links = from === undefined ? [] : [{ context: from }];
    return this.parts.startInTrace(intentId, () => this.tracer.startSpan(name, { ...options, links, root: true }));
  }

  private end(request: FastifyRequest, status: number): void {
    // A request that was refused earlier has not begun.
    const { span } = this.open.get(request) ?? this.begin(request);
    span.setAttribute('http.response.status_code', status);
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }
}

/** The trace of the current request, for its lines of the log. */
export function nameTrace(): { readonly trace_id?: string } {
  const traceId = trace.getSpanContext(context.active())?.traceId;
  return traceId === undefined ? {} : { trace_id: traceId };
}

/** The intent that a body registers, or binds to a transaction; null for another or invalid body. */
function findIntentId(body: unknown, partner: AddressBook['partner']): string | null {
  const intent = intentBodySchema.safeParse(body);
  if (intent.success) return intentDigest(intentDomain(partner), toSignedIntent(intent.data));
  return bindOriginBodySchema.safeParse(body).data?.intentId ?? null;
}

/** The operation id that a request names, only if well-formed, since clients can send anything. */
function findOperationId(query: unknown): string | null {
  if (typeof query !== 'object' || query === null) return null;
  const { depositId, withdrawId, intentId } = query as Readonly<Record<string, unknown>>;
  const id = [depositId, withdrawId, intentId].find((each) => typeof each === 'string' && isHash(each));
  return typeof id === 'string' ? id.toLowerCase() : null;
}
