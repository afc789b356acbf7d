import type { IncomingMessage } from 'node:http';
import { Cors } from '@causeway/service/http';
import { BridgeError } from '@causeway/protocol';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AnswerHeaders } from './answer-headers.js';
import { ClientLimits } from './client-limits.js';
import { getPath } from './errors.js';
import { Drain } from './shutdown.js';

/** Enough for the longest URL of an endpoint, with a hundred ids. */
const MAX_URL_LENGTH = 8_192;
/** The route of a page with routes of its own. It does not answer for unknown endpoints. */
const FALLBACK = '/*';
const NOT_A_PAGE = /^\/(api|health|docs)(\/|$)/;

/** Checks requests before their bodies are read. */
@Injectable()
export class RequestChecks {
  private readonly routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();

  constructor(
    private readonly cors: Cors,
    private readonly headers: AnswerHeaders,
    private readonly drain: Drain,
    private readonly limits: ClientLimits,
  ) {}

  /** Must be called before the routes are registered. */
  install(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', ({ url, method }) => this.addRoute(url, [method].flat()));
    fastify.addHook('onRequest', async (request, reply) => this.check(request, reply));
  }

  private async check(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    reply.headers(this.headers.of(request.id, request.headers.origin));
    // Makes the client send its next request to another replica.
    if (this.drain.signal.aborted) reply.header('connection', 'close');
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined)
      return reply.status(204).headers(this.cors.preflightHeaders(request.headers)).send();
    const isFallback = request.routeOptions.url === FALLBACK;
    const isUnrouted = request.is404 || (isFallback && NOT_A_PAGE.test(getPath(request)));
    // A first visit of the page takes more files than a client has requests in a second. They are in memory.
    if (!isFallback || isUnrouted) {
      const { headers, refusal } = await this.limits.countRequest(this.limits.identifyClient(request));
      reply.headers(headers);
      if (refusal !== null) throw refusal;
    }
    checkHost(request.raw);
    if ((request.raw.url?.length ?? 0) > MAX_URL_LENGTH)
      throw new BridgeError('URI_TOO_LONG', `The URL has more than ${MAX_URL_LENGTH} characters`);
    return isUnrouted ? this.refuseUnrouted(request, reply) : undefined;
  }

  /** Responds 405 for a known path with another method, and to OPTIONS (RFC 9110, sections 9.3.7 and 15.5.6). */
  private refuseUnrouted(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const path = getPath(request);
    const routed = routedPath(path);
    const route = [...this.routes.values()].find(({ pattern }) => pattern.test(routed));
    if (route === undefined)
      throw new BridgeError('NOT_FOUND', `${request.method} ${path} is not an endpoint of this API`);
    const allowed = [...route.methods, 'OPTIONS'].join(', ');
    reply.header('allow', allowed);
    if (request.method === 'OPTIONS') return reply.status(204).send();
    throw new BridgeError('METHOD_NOT_ALLOWED', `${path} does not support ${request.method}, only ${allowed}`);
  }

  private addRoute(url: string, methods: readonly string[]): void {
    const pattern = new RegExp(
      `^${url.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(/:\w+/g, '[^/]+')}$`,
    );
    const route = this.routes.get(url) ?? { pattern, methods: new Set<string>() };
    for (const method of methods) route.methods.add(method);
    this.routes.set(url, route);
  }
}

/**
 * Requires exactly one Host header (RFC 9112, section 3.2). Node's own refusal has no body, and Node ignores a second
 * header.
 */
function checkHost({ rawHeaders, httpVersion }: IncomingMessage): void {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') hosts += 1;
  if (hosts === 1 || (hosts === 0 && httpVersion !== '1.1')) return;
  throw new BridgeError('VALIDATION_ERROR', 'host must be present exactly once', { field: 'host' });
}

/** Normalizes a path like the router: without percent-encoding, and without the host of an absolute URL. */
function routedPath(path: string): string {
  return decodeURI(path).replace(/^https?:\/\/[^/]*/, '');
}
