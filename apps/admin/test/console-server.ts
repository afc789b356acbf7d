import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import {
  adminIntentsResponseSchema,
  adminOperationResponseSchema,
  adminOperationsResponseSchema,
  adminRefundResponseSchema,
  adminRefundsResponseSchema,
  alertsResponseSchema,
  auditResponseSchema,
  contractCallsResponseSchema,
  contractsResponseSchema,
  membersResponseSchema,
  overviewResponseSchema,
  relayersResponseSchema,
  requestResponseSchema,
  requestsResponseSchema,
  sessionsResponseSchema,
  settingsResponseSchema,
  solvencyResponseSchema,
  type AdminRole,
  type OverviewResponse,
  type RequestResponse,
} from '@causeway/protocol/admin';
import {
  account,
  ago,
  contractCalls,
  contracts,
  hash,
  HOSTILE,
  operation,
  operationRow,
  overview,
  refund,
} from './fixtures.js';
import { request } from './request-fixtures.js';

/** Answers of the admin API: with rows, without rows, with an error, or none. */
export type Mode = 'full' | 'empty' | 'error' | 'hang';

/** A mutation that the console sent. */
export interface ChangeCall {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly csrfToken: string | undefined;
}

type Answer = { readonly status?: number; readonly body: unknown };

const DIST = join(import.meta.dirname, '../dist');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};
const CURSORS = { nextCursor: 'bmV4dA', previousCursor: null };
const NO_CURSORS = { nextCursor: null, previousCursor: null };

/** Serves the built console with its real policy, and an admin API of fixtures. Tests set its fields. */
export class ConsoleServer {
  mode: Mode = 'full';
  role: AdminRole | null = 'admin';
  address = account('e6');
  rows = 60;
  deliveriesHalt: OverviewResponse['deliveriesHalt'] = null;
  /** Fields that a test sets in the answers of reads, by path. */
  readonly reads = new Map<string, object>();
  /** Answers of changes by method and path; a test adds its own. */
  readonly answers = new Map<string, (body: never) => Answer>();
  readonly changes: ChangeCall[] = [];
  /** Requests that tests follow, by id; others are the fixture. */
  readonly requests = new Map<string, RequestResponse>();
  private readonly streams = new Set<ServerResponse>();
  private readonly unheard: string[] = [];
  private acceptsStreams = true;
  private readonly server = createServer((incoming, outgoing) => void this.answer(incoming, outgoing));

  /** Restores the initial state. */
  reset(): void {
    this.mode = 'full';
    this.role = 'admin';
    this.address = account('e6');
    this.rows = 60;
    this.deliveriesHalt = null;
    this.reads.clear();
    this.answers.clear();
    this.requests.clear();
    this.changes.length = 0;
    this.setStreams(true);
  }

  /** Listens on a free port. Returns the origin. */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Ends every connection. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  /** Sends an event to every open stream, or to the next one: a page may be about to open its first. */
  emit(event: string, data: unknown): void {
    const message = `event: ${event}\nid: 1\ndata: ${JSON.stringify(data)}\n\n`;
    if (this.streams.size === 0 && this.acceptsStreams) this.unheard.push(message);
    for (const stream of this.streams) stream.write(message);
  }

  /** Refuses streams from now on, and ends those that are open; or accepts them again. */
  setStreams(accepts: boolean): void {
    this.acceptsStreams = accepts;
    if (!accepts) for (const stream of this.streams) stream.destroy();
  }

  private async answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? '/', 'http://console');
    if (!url.pathname.startsWith('/api/')) return this.file(url.pathname, outgoing);
    const path = url.pathname.slice('/api/v1/admin'.length);
    if (incoming.method !== 'GET') return this.change(incoming, path, outgoing);
    if (path === '/session') return this.session(outgoing);
    if (path === '/events') return this.stream(outgoing);
    if (this.role === null) return json(outgoing, 401, { error: 'UNAUTHENTICATED', message: 'Sign in.' });
    if (path === '/settings') return json(outgoing, 200, read(path, 'full', this));
    if (this.mode === 'hang') return;
    if (this.mode === 'error')
      return json(outgoing, 400, { error: 'VALIDATION_ERROR', message: `limit of ${path} must be a whole number` });
    const answer = read(path, this.mode, this);
    if (answer !== null) return json(outgoing, 200, { ...answer, ...this.reads.get(path) });
    json(outgoing, 404, { error: 'NOT_FOUND', message: `There is no ${path}` });
  }

  private session(outgoing: ServerResponse): void {
    if (this.role === null) return json(outgoing, 401, { error: 'UNAUTHENTICATED', message: 'Sign in.' });
    json(outgoing, 200, this.makeSession(this.address));
  }

  private makeSession(address: string) {
    const expiresAt = ago(-3_600);
    return {
      id: 's1',
      address,
      role: this.role,
      csrfToken: 'csrf',
      createdAt: ago(60),
      idleExpiresAt: expiresAt,
      expiresAt,
    };
  }

  private stream(outgoing: ServerResponse): void {
    if (!this.acceptsStreams) return json(outgoing, 503, { error: 'SERVICE_UNAVAILABLE', message: 'Retry shortly.' });
    outgoing.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    outgoing.write(`retry: 500\n\n${this.unheard.splice(0).join('')}`);
    this.streams.add(outgoing);
    outgoing.on('close', () => this.streams.delete(outgoing));
  }

  private async change(incoming: IncomingMessage, path: string, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const { method = '' } = incoming;
    this.changes.push({ method, path, body, csrfToken: incoming.headers['x-csrf-token'] as string | undefined });
    const own = this.answers.get(`${method} ${path}`);
    if (own !== undefined) {
      const answer = own(body as never);
      return json(outgoing, answer.status ?? 200, answer.body);
    }
    if (path === '/sign-in/nonce')
      return json(outgoing, 200, { nonce: 'abcdef0123456789', expiresAt: ago(-300), chainIds: [8_901, 31_337] });
    if (path === '/sign-in') {
      this.role ??= 'admin';
      return json(outgoing, 200, this.makeSession(this.address));
    }
    if (method === 'DELETE') {
      if (path === '/session') this.role = null;
      return json(outgoing, 200, {});
    }
    json(outgoing, 404, { error: 'NOT_FOUND', message: `There is no ${method} ${path}` });
  }

  /** Serves a file of the build, or the page with a fresh nonce, as the API does. */
  private async file(path: string, outgoing: ServerResponse): Promise<void> {
    const type = TYPES[extname(path)];
    if (type !== undefined && path !== '/index.html') {
      outgoing.writeHead(200, { 'content-type': type, 'x-content-type-options': 'nosniff' });
      outgoing.end(await readFile(join(DIST, path)));
      return;
    }
    const nonce = randomBytes(16).toString('base64');
    const page = (await readFile(join(DIST, 'index.html'), 'utf8')).replaceAll('__CSP_NONCE__', nonce);
    outgoing.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy':
        `default-src 'none'; script-src 'nonce-${nonce}' 'strict-dynamic'; style-src 'self' 'nonce-${nonce}'; ` +
        "connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; " +
        "frame-ancestors 'none'; require-trusted-types-for 'script'",
    });
    outgoing.end(page);
  }
}

function json(outgoing: ServerResponse, status: number, body: unknown): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Returns the answer of a read, checked against its schema; null for an unknown path. */
function read(path: string, mode: Mode, { rows, address, requests, deliveriesHalt }: ConsoleServer): object | null {
  const isFull = mode === 'full';
  const list = <T>(items: readonly T[]) => (isFull ? items : []);
  const [, resource, id] = path.split('/');
  switch (resource) {
    case 'overview':
      return overviewResponseSchema.parse(
        isFull
          ? { ...overview(), deliveriesHalt }
          : { ...overview(), assets: [], chains: [], open: { total: 0, byStatus: [], byDelay: [], oldest: null } },
      );
    case 'solvency':
      return solvencyResponseSchema.parse({
        points: list(
          Array.from({ length: 40 }, (_, index) => ({
            at: ago((40 - index) * 3_600),
            minted: `${500 + index * 7}000000000000000000`,
            withdrawn: `${300 + index * 5}000000000000000000`,
          })),
        ),
      });
    case 'operations':
      if (id !== undefined) return adminOperationResponseSchema.parse(operation(id));
      return adminOperationsResponseSchema.parse({
        operations: list(Array.from({ length: rows }, (_, index) => operationRow(index))),
        ...(isFull ? CURSORS : NO_CURSORS),
      });
    case 'intents':
      return adminIntentsResponseSchema.parse({
        intents: list([
          { ...operationRow(2), expiresAt: ago(-900), deadline: ago(-900), proposedOriginTxHash: hash('c3') },
        ]),
        ...NO_CURSORS,
      });
    case 'refunds':
      if (id !== undefined) return adminRefundResponseSchema.parse(refund(id));
      return adminRefundsResponseSchema.parse({ refunds: list([refund()]), ...NO_CURSORS });
    case 'requests':
      if (id !== undefined) return requestResponseSchema.parse(requests.get(id) ?? request(id));
      return requestsResponseSchema.parse({
        requests: list([request(), request(hash('f2'), 'DONE'), request(hash('f3'), 'EXPIRED')]),
        ...NO_CURSORS,
      });
    case 'contracts':
      if (id === 'calls') return contractCallsResponseSchema.parse(isFull ? contractCalls() : { calls: [] });
      return contractsResponseSchema.parse(
        isFull ? contracts() : { ...contracts(), pauses: [], assets: [], roles: [], announced: [], history: [] },
      );
    case 'relayers':
      return relayersResponseSchema.parse({
        lease: { holder: null, token: '12', expiresAt: null, isHeld: false },
        wallets: list([
          {
            side: 'ethereum',
            address: account('f6'),
            isCurrent: true,
            balance: '1500000000000000000',
            pendingCalls: 1,
            lastNonce: '41',
            gasPaid24h: '3000000000000000',
          },
        ]),
        standby: list([{ side: 'ethereum', address: account('f7') }]),
        attesters: isFull ? { addresses: [account('f8'), account('f9')], threshold: 2 } : null,
      });
    case 'alerts':
      return alertsResponseSchema.parse({
        at: ago(1),
        alerts: list([
          {
            code: 'Halted',
            severity: 'critical',
            sentence: `Ethereum is halted: ${HOSTILE}`,
            since: ago(90),
            subject: 'ethereum',
            whatToDo: 'Read the log of the relayer, compare the block with another node, then resume.',
            runbook: 'docs/runbook.md#halted',
          },
          {
            code: 'FloatLow',
            severity: 'warning',
            sentence: 'The float lasts 1.6 days.',
            since: null,
            subject: null,
            whatToDo: 'Fund BridgeMint.',
            runbook: 'docs/runbook.md#floatlow',
          },
        ]),
      });
    case 'settings':
      return settingsResponseSchema.parse({
        environment: 'local',
        chains: [
          { side: 'ethereum', chainId: 31_337, requiredConfirmations: 12, blockSeconds: 12 },
          { side: 'partner', chainId: 8_901, requiredConfirmations: 6, blockSeconds: 2 },
        ],
        holdSeconds: 3_600,
        contracts: [{ side: 'ethereum', name: 'BridgeLock', address: account('0b') }],
        version: '0.0.0',
      });
    case 'members':
      return membersResponseSchema.parse({
        members: list([
          { address, name: 'Ada', role: 'admin', source: 'configuration', addedBy: null, addedAt: null },
          {
            address: account('e5'),
            name: 'Grace',
            role: 'operator',
            source: 'request',
            addedBy: address,
            addedAt: ago(90_000),
          },
        ]),
      });
    case 'sessions':
      return sessionsResponseSchema.parse({
        sessions: list([
          {
            id: 's1',
            isCurrent: true,
            createdAt: ago(60),
            lastUsedAt: ago(1),
            expiresAt: ago(-3_600),
            clientIp: '127.0.0.1',
            userAgent: HOSTILE,
          },
          {
            id: 's2',
            isCurrent: false,
            createdAt: ago(6_000),
            lastUsedAt: ago(900),
            expiresAt: ago(-3_600),
            clientIp: null,
            userAgent: null,
          },
        ]),
      });
    case 'audit':
      return auditResponseSchema.parse({
        rows: list([
          {
            sequence: 7,
            at: ago(200),
            actor: account('e5'),
            role: 'operator',
            sessionId: 's1',
            action: 'request-created',
            subject: hash('ab'),
            before: { status: 'DELAYED' },
            after: { status: 'DELAYED', words: HOSTILE },
            reason: HOSTILE,
            txHash: null,
            previousHash: hash('01'),
            hash: hash('02'),
            reported: null,
          },
        ]),
        ...NO_CURSORS,
      });
    default:
      return null;
  }
}
