import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Client, Cors } from '@causeway/service/http';
import { CHALLENGE, WRONG_KEY, type Clients } from '../access/clients.js';
import type { ClientBudget } from '../client-budget.js';
import { httpErrorBody } from './http-errors.js';

export interface RouteResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RouteRequest {
  readonly path: string;
  /** The path parts matched by the groups of the route's pattern. */
  readonly groups: readonly string[];
  readonly query: URLSearchParams;
  /** The key of its client; empty for resources that do not count as calls. */
  readonly ip: string;
}

/** A resource for GET (and HEAD). */
export interface Route {
  readonly path: RegExp;
  /** @throws HttpError for a refusal; anything else is logged and becomes a 500. */
  answer(request: RouteRequest): RouteResponse | Promise<RouteResponse>;
}

export class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = 'HttpError';
  }
}

interface RoutesOptions {
  readonly routes: readonly Route[];
  readonly cors: Cors;
  readonly budget: ClientBudget;
  readonly clients: Clients;
  readonly logger: { error(details: object, message: string): void };
}

const ALLOWED = 'POST, OPTIONS';
/** Below this path, requests count as calls, and errors have a mirror node's format. */
const MIRROR_PREFIX = '/api/v1/';
const JSON_TYPE = 'application/json; charset=utf-8';

/** Answers all HTTP requests that are not JSON-RPC calls. Does not read bodies. */
export class Routes {
  constructor(private readonly options: RoutesOptions) {}

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { cors, logger } = this.options;
    response.setHeaders(new Map(Object.entries(cors.headers(request.headers.origin))));
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
      response.writeHead(204, cors.preflightHeaders(request.headers)).end();
      return;
    }
    const url = URL.parse(request.url ?? '', 'http://gateway');
    const isMirror = url?.pathname.startsWith(MIRROR_PREFIX) ?? false;
    try {
      const client = isMirror ? await this.takeCall(request, response) : null;
      send(response, await this.route(request, url, client));
    } catch (error) {
      const { status, message, headers } = error instanceof HttpError ? error : new HttpError(500, '');
      if (status >= 500 && !(error instanceof HttpError)) logger.error({ err: error }, 'A request failed unexpectedly');
      const text = message === '' ? (STATUS_CODES[status] ?? 'Error') : message;
      send(response, { status, headers, body: isMirror ? mirrorErrorBody(text) : httpErrorBody(status) });
    }
  }

  private async route(request: IncomingMessage, url: URL | null, client: Client | null): Promise<RouteResponse> {
    const { method = '', url: target = '' } = request;
    // The URL parser would treat `//` as the start of a host.
    const path = decodePath(target.startsWith('/') ? (target.split('?', 1)[0] ?? '') : (url?.pathname ?? target));
    if (path === '/') {
      if (method === 'OPTIONS') return { status: 204, headers: { allow: ALLOWED }, body: '' };
      throw new HttpError(405, '', { allow: ALLOWED });
    }
    if (method !== 'GET' && method !== 'HEAD') throw new HttpError(404, 'Not found');
    for (const route of this.options.routes) {
      const match = route.path.exec(path);
      if (match === null) continue;
      const query = url?.searchParams ?? new URLSearchParams();
      return route.answer({ path, groups: match.slice(1), query, ip: client?.key ?? '' });
    }
    throw new HttpError(404, 'Not found');
  }

  /** Counts a request as a call of its client. @throws HttpError beyond the rate, and for an invalid key. */
  private async takeCall(request: IncomingMessage, response: ServerResponse): Promise<Client> {
    const { budget, clients } = this.options;
    const { client, hasWrongKey } = clients.identify(request);
    const verdict = await budget.takeCalls(client, 1);
    response.setHeaders(new Map(Object.entries(budget.rateHeaders(client, verdict))));
    if (verdict.admitted === 0) throw new HttpError(429, `Too many requests: ${verdict.refusal}`);
    if (hasWrongKey) throw new HttpError(401, `Unauthorized: ${WRONG_KEY}`, CHALLENGE);
    return client;
  }
}

function mirrorErrorBody(message: string): string {
  return JSON.stringify({ _status: { messages: [{ message }] } });
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new HttpError(400, '');
  }
}

function send(response: ServerResponse, { status, headers, body }: RouteResponse): void {
  const content = status === 204 ? {} : { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, { ...headers, ...content }).end(body);
}
