import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { readBody, type Cors, type RateVerdict } from '@causeway/service/http';
import { CHALLENGE, WRONG_KEY, type Clients } from '../access/clients.js';
import type { Dispatcher } from '../jsonrpc/dispatcher.js';
import { errorResponse, RpcError, type RpcErrorName } from '../jsonrpc/errors.js';
import type { ClientBudget } from '../client-budget.js';
import type { GatewayHealth } from './health.js';
import { refuseUnreadable } from './http-errors.js';
import type { Routes } from './routes.js';

interface HttpServerOptions {
  readonly dispatcher: Dispatcher;
  readonly budget: ClientBudget;
  readonly cors: Cors;
  /** Answers all requests that are not calls. */
  readonly routes: Routes;
  readonly bodyLimit: number;
  readonly clients: Clients;
  readonly health: Pick<GatewayHealth, 'isDraining'>;
  readonly idleTimeoutMs: number;
  readonly maxConnections: number;
  readonly logger: { error(details: object, message: string): void };
}

/** How long a client can take to send its request, because slow requests occupy memory. Milliseconds. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than the minute after which most proxies drop an idle connection, so that the proxy closes it. */
const KEEP_ALIVE_MS = 72_000;
/**
 * How long the rest of a refused body is read, in milliseconds: a client that cannot finish sending would not see the
 * response.
 */
const LINGER_MS = 2_000;
const JSON_TYPE = 'application/json';
const READ_FIRST = 'read the responses to earlier calls first';
/** Bodies up to this many bytes are not counted for their client: ten thousand of them are harmless. */
const SMALL_BODY = 16_384;
const TOO_MUCH_UNREAD = errorResponse('null', new RpcError('RATE_LIMIT_EXCEEDED', READ_FIRST));
const LONG_TEXT = 65_536;

/** JSON-RPC over HTTP: POST / (spec "Endpoints"), on Node's own server. */
export class HttpServer {
  readonly server: Server;

  constructor(private readonly options: HttpServerOptions) {
    this.server = createServer({
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Clients that offer HTTP/2 (`Upgrade: h2c`) get a response over HTTP/1.1 instead of a refusal.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    });
    this.server.setTimeout(options.idleTimeoutMs);
    this.server.maxConnections = options.maxConnections;
    this.server.on('clientError', refuseUnreadable);
    this.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      // Makes clients and load balancers open their next connection to another gateway.
      if (options.health.isDraining) response.setHeader('connection', 'close');
      if (!isCall(request)) void options.routes.answer(request, response);
      else this.serve(request, response).catch((error: unknown) => this.fail(error, request, response));
    });
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { dispatcher, budget, bodyLimit, clients } = this.options;
    const { client, hasWrongKey } = clients.identify(request);
    /** A refused request counts as one call, so that invalid requests are not free. */
    const refuse = async (status: number, kind: RpcErrorName, detail: string) => {
      const verdict = await budget.takeCalls(client, 1);
      const isRefused = verdict.admitted === 0;
      const error = isRefused ? new RpcError('RATE_LIMIT_EXCEEDED', verdict.refusal) : new RpcError(kind, detail);
      this.send(
        request,
        response,
        isRefused ? 429 : status,
        errorResponse('null', error),
        budget.rateHeaders(client, verdict),
      );
    };
    if (hasWrongKey) return refuse(401, 'INVALID_REQUEST', WRONG_KEY);
    const problem = headerProblem(request);
    if (problem !== null) return refuse(415, 'INVALID_REQUEST', problem);
    const bytes = Math.min(bodyLimit, Number(request.headers['content-length'] ?? bodyLimit));
    if (bytes > SMALL_BODY) {
      const isOver = budget.isOver('unreadBytes', client);
      if (isOver) return refuse(429, 'RATE_LIMIT_EXCEEDED', 'finish or read earlier calls first');
      request.once(
        'close',
        budget.holdUnread(client, bytes, () => request.destroy()),
      );
    }
    const body = await readBody(request, bodyLimit);
    if (body === null) return refuse(413, 'INVALID_REQUEST', `a body has at most ${bodyLimit} bytes`);
    // JSON is UTF-8 (RFC 8259, section 8.1). An empty message gets a parse error.
    const message = isUtf8(body) ? body.toString() : '';
    let rateHeaders: Record<string, string> = {};
    let isRefused = false;
    const answer = await dispatcher.dispatch(message, { ip: client.key, connection: null }, async (calls) => {
      const verdict: RateVerdict = await budget.takeCalls(client, calls);
      rateHeaders = budget.rateHeaders(client, verdict);
      const admission = budget.isOver('unreadBytes', client) ? { admitted: 0, refusal: READ_FIRST } : verdict;
      isRefused = admission.admitted === 0;
      return admission;
    });
    // Checked again, because other responses may have been left unread meanwhile.
    const text = answer !== null && budget.isOver('unreadBytes', client) ? TOO_MUCH_UNREAD : answer;
    if (text !== null && !response.destroyed) {
      response.on(
        'close',
        budget.holdUnread(client, text.length, () => response.destroy()),
      );
    }
    // The client has disconnected or has been cut off.
    if (response.destroyed) return;
    // Clients retry after 429, so it is sent only if no call of the message has run.
    this.send(request, response, isRefused ? 429 : text === null ? 204 : 200, text, rateHeaders);
  }

  private fail(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    this.options.logger.error({ err: error }, 'A request failed unexpectedly');
    if (response.headersSent) response.destroy();
    else this.send(request, response, 500, errorResponse('null', new RpcError('INTERNAL_ERROR')), {});
  }

  private send(
    request: IncomingMessage,
    response: ServerResponse,
    status: number,
    text: string | null,
    rateHeaders: Readonly<Record<string, string>>,
  ): void {
    const { cors, health } = this.options;
    const isUnread = !request.complete && [401, 413, 429].includes(status);
    response.writeHead(status, {
      ...cors.headers(request.headers.origin),
      ...rateHeaders,
      ...(status === 401 ? CHALLENGE : null),
      ...(health.isDraining || isUnread ? { connection: 'close' } : null),
      ...(text === null ? null : { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(text) }),
    });
    if (isUnread) endAfterRequest(request, response, text ?? '');
    // Node copies a long string twice, but a buffer not at all.
    else response.end(text !== null && text.length > LONG_TEXT ? Buffer.from(text) : (text ?? undefined));
  }
}

/** Responds to a request that is still arriving, and discards its rest. */
function endAfterRequest(request: IncomingMessage, response: ServerResponse, text: string): void {
  response.write(text);
  request.resume();
  const end = () => response.end();
  once(request, 'close', { signal: AbortSignal.timeout(LINGER_MS) }).then(end, end);
}

/** Whether it is a POST to `/`, with or without a query, also in absolute form (RFC 9112, section 3.2). */
function isCall({ method, url = '' }: IncomingMessage): boolean {
  if (method !== 'POST') return false;
  return url.startsWith('/') ? url === '/' || url.startsWith('/?') : URL.parse(url)?.pathname === '/';
}

function headerProblem({ headers }: IncomingMessage): string | null {
  const type = headers['content-type'] ?? '';
  // Parameters such as the charset do not matter (RFC 9110, section 8.3.1).
  const mediaType = type === JSON_TYPE ? type : (type.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (mediaType !== JSON_TYPE) return `content-type must be ${JSON_TYPE}`;
  return headers['content-encoding'] === undefined ? null : 'content-encoding is not supported';
}
