import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { answer } from '../json-rpc/answer.js';
import type { JsonRpcDispatcher } from '../json-rpc/json-rpc-dispatcher.js';
import { RpcError } from '../json-rpc/rpc-error.js';
import { rateLimitHeaders } from '../limits/rate-limit-headers.js';
import type { RateLimiter, RateVerdict } from '../limits/rate-limiter.js';
import { clientAddress } from './client-address.js';
import type { Cors } from './cors.js';
import { readBody } from './read-body.js';
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

/**
 * JSON-RPC over HTTP: POST / (spec "Endpoints").
 *
 * It stands on Node's own server and answers before Fastify sees the request: the routing, hooks and replies of a framework cost a single call as
 * much as all the rest of the gateway. Everything that is no call goes on to Fastify.
 */
export class HttpEndpoint {
  constructor(private readonly parts: HttpEndpointParts) {}

  /** Takes the calls out of what the server passes to its listeners. */
  attach(server: Server): void {
    const others = server.listeners('request');
    server.removeAllListeners('request');
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (isCall(request)) this.#serve(request, response);
      else for (const other of others) other.call(server, request, response);
    });
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const { bodyLimit } = this.parts;
    const wrong = wrongForm(request);
    if (wrong !== null) {
      this.#refuse(request, response, 415, wrong);
      return;
    }
    readBody(request, bodyLimit, (body) => {
      if (body !== null) this.#answer(request, response, body);
      else this.#refuse(request, response, 413, `the body is longer than ${bodyLimit} bytes`);
    });
  }

  #answer(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    // What is not UTF-8 is no JSON (RFC 8259, section 8.1); an empty message is answered as the parse error that it is.
    const text = isUtf8(body) ? body.toString() : '';
    this.#dispatch(text, request, response).catch((error: unknown) => this.#fail(error, request, response));
  }

  async #dispatch(text: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { dispatcher, limiter, unread, trustedProxyHops } = this.parts;
    const ip = clientAddress(request, trustedProxyHops);
    let verdict: RateVerdict | null = null;
    const message = await dispatcher.dispatch(text, { ip, connection: null }, async (calls) => {
      verdict = await limiter.take(ip, calls);
      return unread.isTooMuch(ip) ? { admitted: 0, refusal: 'read the answers to earlier calls first' } : verdict;
    });
    if (message !== null && !response.destroyed) response.once('close', unread.hold(ip, message));
    this.#send(request, response, message === null ? 204 : 200, message, verdict);
  }

  /** A request that is refused for its form counts as one call, so that nothing is free. */
  #refuse(request: IncomingMessage, response: ServerResponse, status: number, why: string): void {
    const { limiter, trustedProxyHops } = this.parts;
    limiter
      .take(clientAddress(request, trustedProxyHops), 1)
      .then((verdict) => {
        const error =
          verdict.admitted === 0
            ? new RpcError('RATE_LIMIT_EXCEEDED', verdict.refusal)
            : new RpcError('INVALID_REQUEST', why);
        this.#send(request, response, status, answer.error('null', error), verdict);
      })
      .catch((error: unknown) => this.#fail(error, request, response));
  }

  #fail(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    this.parts.logger.error({ err: error }, 'A request failed unexpectedly');
    if (response.headersSent) response.destroy();
    else this.#send(request, response, 500, answer.error('null', new RpcError('INTERNAL_ERROR')), null);
  }

  #send(
    request: IncomingMessage,
    response: ServerResponse,
    status: number,
    text: string | null,
    verdict: RateVerdict | null,
  ): void {
    const { cors, dispatcher, limiter } = this.parts;
    // The rest of a body that is too long is not read.
    const last = dispatcher.closing || status === 413;
    response.writeHead(status, {
      ...cors.headers(request.headers.origin),
      ...(verdict === null ? null : rateLimitHeaders(verdict, limiter.policy)),
      ...(last ? { connection: 'close' } : null),
      ...(text === null ? null : { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(text) }),
    });
    response.end(text ?? undefined);
  }
}

/** Whatever is posted to `/`, with or without a query. */
function isCall({ method, url }: IncomingMessage): boolean {
  return method === 'POST' && (url === '/' || url?.startsWith('/?') === true);
}

/** Why the headers of a call are refused, or null. */
function wrongForm({ headers }: IncomingMessage): string | null {
  const type = headers['content-type'] ?? '';
  if (type !== JSON_TYPE && mediaType(type) !== JSON_TYPE) return `content-type must be ${JSON_TYPE}`;
  return headers['content-encoding'] === undefined ? null : 'content-encoding is not offered';
}

/** A content type without its parameters, such as the charset (RFC 9110, section 8.3.1). */
function mediaType(contentType: string): string {
  const end = contentType.indexOf(';');
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}
