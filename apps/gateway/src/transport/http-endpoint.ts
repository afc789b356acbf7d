import { isUtf8 } from 'node:buffer';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { answer } from '../json-rpc/answer.js';
import type { JsonRpcDispatcher } from '../json-rpc/json-rpc-dispatcher.js';
import { RpcError } from '../json-rpc/rpc-error.js';
import { rateLimitHeaders } from '../limits/rate-limit-headers.js';
import type { RateLimiter, RateVerdict } from '../limits/rate-limiter.js';
import { clientAddress } from './client-address.js';
import type { Cors } from './cors.js';
import type { UnreadAnswers } from './unread-answers.js';

/** What the HTTP endpoint works with. */
export interface HttpEndpointParts {
  readonly dispatcher: JsonRpcDispatcher;
  readonly limiter: RateLimiter;
  readonly cors: Cors;
  readonly unread: UnreadAnswers;
  /** Longest body, bytes. */
  readonly bodyLimit: number;
  readonly trustedProxyHops: number;
  readonly logger: { error(details: object, message: string): void };
}

const JSON_TYPE = 'application/json';
const OTHER_METHODS = ['GET', 'PUT', 'PATCH', 'DELETE'];

/**
 * JSON-RPC over HTTP: POST / (spec "Endpoints").
 *
 * It stands on Fastify itself and keeps the body as bytes until the dispatcher reads them: nothing of NestJS runs on the way of a call.
 */
export class HttpEndpoint {
  constructor(private readonly parts: HttpEndpointParts) {}

  /** Adds the endpoint, and CORS for every path. */
  register(fastify: FastifyInstance): void {
    const { cors, bodyLimit } = this.parts;
    fastify.addHook('onRequest', (request, reply, done) => {
      const { origin } = request.headers;
      reply.headers(cors.headers(origin));
      if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) {
        done();
        return;
      }
      const requestedHeaders = request.headers['access-control-request-headers'];
      void reply.code(204).headers(cors.preflightHeaders(origin, requestedHeaders)).send();
    });
    void fastify.register((instance, _options, done) => {
      instance.removeAllContentTypeParsers();
      instance.addContentTypeParser(JSON_TYPE, { parseAs: 'buffer', bodyLimit }, (_request, body, parsed) =>
        parsed(null, body),
      );
      instance.setErrorHandler<FastifyError>((error, request, reply) => this.#refuseRequest(error, request, reply));
      instance.post('/', { bodyLimit }, (request, reply) => this.#answer(request, reply));
      instance.route({
        method: OTHER_METHODS,
        url: '/',
        // Before the body is looked at: whatever it is, the method is what is wrong.
        onRequest: async (_request, reply) => refuseMethod(reply),
        handler: (_request, reply) => refuseMethod(reply),
      });
      instance.options('/', (_request, reply) => reply.code(204).header('allow', 'POST, OPTIONS').send());
      done();
    });
  }

  #answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { body } = request;
    // Without a content type and a body there is no parser that could refuse it.
    if (!Buffer.isBuffer(body)) return this.#refuse(request, reply, 415, `content-type must be ${JSON_TYPE}`);
    if (request.headers['content-encoding'] !== undefined) {
      return this.#refuse(request, reply, 415, 'content-encoding is not offered');
    }
    // What is not UTF-8 is no JSON (RFC 8259, section 8.1); an empty message is answered as the parse error that it is.
    const text = isUtf8(body) ? body.toString() : '';
    return this.#dispatch(text, request, reply);
  }

  async #dispatch(text: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { dispatcher, limiter, unread, trustedProxyHops } = this.parts;
    const ip = clientAddress(request.raw, trustedProxyHops);
    let verdict: RateVerdict | null = null;
    const message = await dispatcher.dispatch(text, { ip, connection: null }, async (calls) => {
      verdict = await limiter.take(ip, calls);
      return unread.isTooMuch(ip) ? { admitted: 0, refusal: 'read the answers to earlier calls first' } : verdict;
    });
    this.#head(reply, verdict);
    if (message === null) return reply.code(204).send();
    const release = unread.hold(ip, message);
    if (reply.raw.destroyed) release();
    else reply.raw.once('close', release);
    return reply.header('content-type', JSON_TYPE).send(message);
  }

  #head(reply: FastifyReply, verdict: RateVerdict | null): void {
    const { dispatcher, limiter } = this.parts;
    if (verdict !== null) reply.headers(rateLimitHeaders(verdict, limiter.policy));
    if (dispatcher.closing) reply.header('connection', 'close');
  }

  /** A request that is refused for its form counts as one call, so that nothing is free. */
  async #refuse(request: FastifyRequest, reply: FastifyReply, status: number, why: string): Promise<FastifyReply> {
    const { limiter, trustedProxyHops } = this.parts;
    const verdict = await limiter.take(clientAddress(request.raw, trustedProxyHops), 1);
    const error =
      verdict.admitted === 0
        ? new RpcError('RATE_LIMIT_EXCEEDED', verdict.refusal)
        : new RpcError('INVALID_REQUEST', why);
    this.#head(reply, verdict);
    return reply.code(status).header('content-type', JSON_TYPE).send(answer.error('null', error));
  }

  async #refuseRequest(error: FastifyError, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const status = error.statusCode ?? 500;
    if (status === 413) {
      return this.#refuse(request, reply, status, `the body is longer than ${this.parts.bodyLimit} bytes`);
    }
    if (status === 415) return this.#refuse(request, reply, status, `content-type must be ${JSON_TYPE}`);
    if (status < 500) return this.#refuse(request, reply, status, 'the HTTP request is malformed');
    this.parts.logger.error({ err: error }, 'A request failed unexpectedly');
    return reply
      .code(500)
      .header('content-type', JSON_TYPE)
      .send(answer.error('null', new RpcError('INTERNAL_ERROR')));
  }
}

function refuseMethod(reply: FastifyReply): FastifyReply {
  return reply
    .code(405)
    .headers({ 'content-type': JSON_TYPE, allow: 'POST, OPTIONS' })
    .send(answer.error('null', new RpcError('INVALID_REQUEST', 'calls are HTTP POST, or WebSocket on /ws')));
}
