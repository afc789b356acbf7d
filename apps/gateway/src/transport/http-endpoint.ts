import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { answer } from '../jsonrpc/answer.js';
import type { JsonRpcDispatcher } from '../jsonrpc/json-rpc-dispatcher.js';
import { RpcError } from '../jsonrpc/errors.js';
import { rateLimitHeaders } from '../limits/rate-limit-headers.js';
import type { RateLimiter, RateVerdict } from '../limits/rate-limiter.js';
import { clientAddress } from './client-address.js';
import type { Cors } from './cors.js';
import { readBody } from './read-body.js';
import type { ClientMemory } from './client-memory.js';

/** What the HTTP endpoint works with. */
export interface HttpEndpointParts {
  readonly dispatcher: JsonRpcDispatcher;
  readonly limiter: RateLimiter;
  readonly cors: Cors;
  readonly memory: ClientMemory;
  /** Longest body, bytes. */
  readonly bodyLimit: number;
  readonly trustedProxyHops: number;
  readonly logger: { error(details: object, message: string): void };
}

const JSON_TYPE = 'application/json';
const READ_FIRST = 'read the answers to earlier calls first';
/** A body that needs no counting: ten thousand of them are nothing to worry about. */
const SMALL_BODY = 16_384;
const TOO_MUCH_UNREAD = answer.error('null', new RpcError('RATE_LIMIT_EXCEEDED', READ_FIRST));

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
      this.#refuse(request, response, 415, new RpcError('INVALID_REQUEST', wrong));
      return;
    }
    const room = Math.min(bodyLimit, Number(request.headers['content-length'] ?? bodyLimit));
    if (room > SMALL_BODY && !this.#keepRoom(request, response, room)) return;
    readBody(request, bodyLimit, (body) => {
      if (body !== null) this.#answer(request, response, body);
      else
        this.#refuse(request, response, 413, new RpcError('INVALID_REQUEST', `a body has at most ${bodyLimit} bytes`));
    });
  }

  /** Counts the body for its client until the request has come to its end; false, and refused, if it keeps too much already. */
  #keepRoom(request: IncomingMessage, response: ServerResponse, bytes: number): boolean {
    const { memory, trustedProxyHops } = this.parts;
    const ip = clientAddress(request, trustedProxyHops);
    if (memory.isTooMuch(ip)) {
      this.#refuse(request, response, 429, new RpcError('RATE_LIMIT_EXCEEDED', 'finish or read earlier calls first'));
      return false;
    }
    request.once('close', memory.hold(ip, bytes));
    return true;
  }

  #answer(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    // What is not UTF-8 is no JSON (RFC 8259, section 8.1); an empty message is answered as the parse error that it is.
    const text = isUtf8(body) ? body.toString() : '';
    this.#dispatch(text, request, response).catch((error: unknown) => this.#fail(error, request, response));
  }

  async #dispatch(message: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { dispatcher, limiter, memory, trustedProxyHops } = this.parts;
    const ip = clientAddress(request, trustedProxyHops);
    let verdict: RateVerdict | null = null;
    const answers = await dispatcher.dispatch(message, { ip, connection: null }, async (calls) => {
      verdict = await limiter.take(ip, calls);
      return memory.isTooMuch(ip) ? { admitted: 0, refusal: READ_FIRST } : verdict;
    });
    // Asked again: the answers can be long, and others were given and left unread meanwhile.
    const text = answers !== null && memory.isTooMuch(ip) ? TOO_MUCH_UNREAD : answers;
    if (text !== null && !response.destroyed) response.once('close', memory.hold(ip, text.length));
    this.#send(request, response, text === null ? 204 : 200, text, verdict);
  }

  /** A request that is refused for its form counts as one call, so that nothing is free. */
  #refuse(request: IncomingMessage, response: ServerResponse, status: number, reason: RpcError): void {
    const { limiter, trustedProxyHops } = this.parts;
    limiter
      .take(clientAddress(request, trustedProxyHops), 1)
      .then((verdict) => {
        const error = verdict.admitted === 0 ? new RpcError('RATE_LIMIT_EXCEEDED', verdict.refusal) : reason;
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
    // What is left of a body that is refused for its size is not read.
    const last = dispatcher.closing || status === 413 || status === 429;
    response.writeHead(status, {
      ...cors.headers(request.headers.origin),
      ...(verdict === null ? null : rateLimitHeaders(verdict, limiter.policy)),
      ...(last ? { connection: 'close' } : null),
      ...(text === null ? null : { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(text) }),
    });
    response.end(text ?? undefined);
  }
}

/** Whatever is posted to `/`, with or without a query, and also where the whole address is given (RFC 9112, section 3.2). */
function isCall({ method, url = '' }: IncomingMessage): boolean {
  if (method !== 'POST') return false;
  return url.startsWith('/') ? url === '/' || url.startsWith('/?') : URL.parse(url)?.pathname === '/';
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
