import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import type {
  BridgeOperationResponse,
  ConfigResponse,
  ExplainResponse,
  RefundResponse,
  StateResponse,
} from '@causeway/protocol';
import {
  bridgeOperationResponseSchema,
  configResponseSchema,
  explainResponseSchema,
  historyResponseSchema,
  operationsResponseSchema,
  refundResponseSchema,
  reservesResponseSchema,
  stateResponseSchema,
} from '@causeway/protocol/rest';
import { anAddressBook, readExampleAnswers } from '@causeway/test-kit';
import type { Settings } from '../src/settings/settings.js';

/** An answer that a test plays. */
export interface Answer {
  readonly status?: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Fields that replace those of the usual answer, or a function that makes the whole answer, or never answers. */
export type Play = object | ((url: URL, body: unknown) => Answer | Promise<Answer>);

/** A request of the page to the API. */
export interface ApiCall {
  readonly method: string;
  /** Below /api/v1. */
  readonly path: string;
  readonly query: string;
  readonly body: unknown;
}

const DIST = join(import.meta.dirname, '../dist');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};
const EXAMPLES = readExampleAnswers();
const example = <T>(name: string) => EXAMPLES[name]?.response as T;

/** Answers that the real API gave, by path. */
export const CONFIG = example<ConfigResponse>('getConfig');
export const OPERATION = example<BridgeOperationResponse>('getStatus');
const VERDICT = example<ExplainResponse>('explain');
export const REFUND = example<RefundResponse>('getRefund');

/** The usual answers, each with the schema that it must keep also with the fields of a test. */
const USUAL: Readonly<Record<string, readonly [body: () => object, schema?: { parse: (body: unknown) => unknown }]>> = {
  '/bridge/config': [() => CONFIG, configResponseSchema],
  '/bridge/limits': [() => example('getLimits')],
  '/bridge/fee-quote': [() => example('getFeeQuote')],
  '/bridge/transactions': [() => example('writeTransactions')],
  '/bridge/xcn-withdraw-intent': [() => example('registerIntent')],
  '/bridge/xcn-withdraw-intent/bind-origin': [() => example('bindOrigin')],
  '/bridge/status': [() => OPERATION, bridgeOperationResponseSchema],
  '/bridge/history': [() => example('getHistory'), historyResponseSchema],
  '/bridge/operations': [
    () => ({ operations: [OPERATION], pagination: { limit: 10, hasMore: false, nextCursor: null } }),
    operationsResponseSchema,
  ],
  '/bridge/explain': [() => VERDICT, explainResponseSchema],
  '/bridge/refunds': [() => REFUND, refundResponseSchema],
  '/bridge/state': [makeState, stateResponseSchema],
  '/bridge/reserves': [() => example('getReserves'), reservesResponseSchema],
  '/health': [() => example('getHealth')],
};

/**
 * Serves the built page with the policy of the API (apps/api/src/web/web-page.ts), the settings of a test and a played
 * API. Tests set its fields.
 */
export class WebServer {
  /** What the API answers, by path below /api/v1; `/bridge/refunds` stands for every refund. */
  readonly reads = new Map<string, Play>();
  /** Results of the nodes by JSON-RPC method; others are refused. The settings can name real nodes instead. */
  readonly nodes = new Map<string, (params: readonly unknown[], side: string) => unknown>();
  /** Fields that a test changes in the settings. */
  settings: Partial<Settings> & Readonly<Record<string, unknown>> = {};
  readonly calls: ApiCall[] = [];
  private origin = '';
  private readonly streams = new Set<ServerResponse>();
  private acceptsStreams = true;
  private readonly server = createServer((incoming, outgoing) => void this.answer(incoming, outgoing));

  /** Restores the initial state. */
  reset(): void {
    this.reads.clear();
    this.nodes.clear();
    this.settings = {};
    this.calls.length = 0;
    this.setStreams(true);
  }

  /** Listens on a free port. Returns the origin. */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.origin = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return this.origin;
  }

  /** Ends every connection. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  /** Sets the fields of the operation that the status answers, and sends it to every open stream. */
  change(fields: Partial<BridgeOperationResponse>): void {
    this.reads.set('/bridge/status', fields);
    const operation = bridgeOperationResponseSchema.parse({ ...OPERATION, ...fields });
    for (const stream of this.streams) stream.write(toEvent(operation));
  }

  /** Refuses streams from now on, and ends those that are open; or accepts them again. */
  setStreams(accepts: boolean): void {
    this.acceptsStreams = accepts;
    if (!accepts) for (const stream of this.streams) stream.destroy();
  }

  /** Open streams of the page. */
  get openStreams(): number {
    return this.streams.size;
  }

  /** The settings that the page reads. */
  get wholeSettings(): Settings {
    const { ethereum, partner } = CONFIG;
    const tokens = (side: typeof ethereum | typeof partner) =>
      Object.fromEntries(side.tokens.map(({ token, address }) => [token, address]));
    const book = anAddressBook();
    return {
      apiUrl: '/api/v1',
      addressBook: {
        ...book,
        ethereum: { ...book.ethereum, bridgeLock: ethereum.bridgeLock, tokens: tokens(ethereum) },
        partner: { ...book.partner, bridgeMint: partner.bridgeMint, tokens: tokens(partner) },
        relayer: CONFIG.relayerWalletAddress,
      } as Settings['addressBook'],
      ethereum: { name: 'Ethereum', rpcUrls: [`${this.origin}/nodes/ethereum`], confirmations: 4 },
      partner: { name: 'Partner chain', rpcUrls: [`${this.origin}/nodes/partner`], confirmations: 3 },
      holdSeconds: CONFIG.holdSeconds,
      ...this.settings,
    };
  }

  /** Origins that the page may call. */
  get origins(): readonly string[] {
    const { apiUrl, ethereum, partner, walletModules = [] } = this.wholeSettings;
    const nodes = [...ethereum.rpcUrls, ...partner.rpcUrls];
    const urls = [apiUrl, ...nodes, ...walletModules.flatMap(({ connect = [] }) => connect)];
    return [...new Set(urls.map((url) => new URL(url, this.origin).origin))];
  }

  private async answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? '/', this.origin);
    if (url.pathname === '/settings.json') return send(outgoing, { body: this.wholeSettings });
    const body = await readBody(incoming);
    if (url.pathname.startsWith('/nodes/')) return this.node(url.pathname.slice(7), body as RpcRequest, outgoing);
    if (!url.pathname.startsWith('/api/v1')) return this.file(url.pathname, outgoing);
    const path = url.pathname.slice('/api/v1'.length);
    this.calls.push({ method: incoming.method ?? '', path, query: url.search.slice(1), body });
    if (path === '/bridge/events') return this.stream(outgoing);
    const known = path.replace(/^(\/bridge\/refunds)\/.*/, '$1');
    const play = this.reads.get(known);
    if (typeof play === 'function') return send(outgoing, await play(url, body));
    const usual = USUAL[known];
    if (usual === undefined) return send(outgoing, refuse('NOT_FOUND', `There is no ${path}`));
    const [make, schema] = usual;
    const answer = { ...make(), ...play };
    schema?.parse(answer);
    send(outgoing, { body: answer });
  }

  private node(side: string, request: RpcRequest, outgoing: ServerResponse): void {
    const answerOne = ({ id, method, params = [] }: RpcCall) => {
      const play = this.nodes.get(method);
      const error = { code: -32_601, message: `the node has no ${method}` };
      return { jsonrpc: '2.0', id, ...(play === undefined ? { error } : { result: play(params, side) }) };
    };
    send(outgoing, { body: Array.isArray(request) ? request.map(answerOne) : answerOne(request as RpcCall) });
  }

  private stream(outgoing: ServerResponse): void {
    if (!this.acceptsStreams) return send(outgoing, refuse('SERVICE_UNAVAILABLE', 'Retry shortly.', 503));
    outgoing.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    outgoing.write('retry: 500\n\n');
    this.streams.add(outgoing);
    outgoing.on('close', () => this.streams.delete(outgoing));
  }

  private async file(path: string, outgoing: ServerResponse): Promise<void> {
    const type = TYPES[extname(path)];
    if (type !== undefined && !path.endsWith('.html')) {
      const content = await readFile(join(DIST, path)).catch(() => null);
      if (content === null) return send(outgoing, refuse('NOT_FOUND', 'This page has no such file'));
      outgoing.writeHead(200, { 'content-type': type, 'x-content-type-options': 'nosniff' }).end(content);
      return;
    }
    const isCheck = path === '/check.html';
    const anyNode = ['https:', 'wss:', 'http://127.0.0.1:*', 'http://localhost:*', 'ws://127.0.0.1:*'];
    outgoing.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': policyWith(isCheck ? anyNode : this.origins),
    });
    outgoing.end(await readFile(join(DIST, isCheck ? 'check.html' : 'index.html')));
  }
}

type RpcCall = { readonly id: number; readonly method: string; readonly params?: readonly unknown[] };
type RpcRequest = RpcCall | readonly RpcCall[];

/** A refusal as the API writes it. */
export function refuse(error: string, message: string, status = 404): Answer {
  return { status, body: { error, message } };
}

function toEvent(operation: BridgeOperationResponse): string {
  return `event: operation\nid: 1\ndata: ${JSON.stringify(operation)}\n\n`;
}

function send(outgoing: ServerResponse, { status = 200, body, headers = {} }: Answer): void {
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

async function readBody(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString());
}

function policyWith(connected: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${["'self'", ...connected].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** A bridge without problems. */
function makeState(): StateResponse {
  const time = new Date().toISOString();
  const chain = (chainId: number) => ({
    chainId,
    connected: true,
    problem: null,
    newestBlock: { number: 120, time, ageSeconds: 2 },
  });
  const amounts = { ETH: ['1000000000000000000', '1'], USDC: ['1000000', '1'], XCN: ['1000000000000000000', '1'] };
  return {
    time,
    chains: { ethereum: chain(CONFIG.ethereum.chainId), partner: chain(CONFIG.partner.chainId) },
    relayer: { connected: true, problem: null },
    attesters: { ethereum: { members: 3, needed: 2 }, partner: { members: 3, needed: 2 } },
    directions: Object.entries(amounts).flatMap(([asset, [one = '', formatted = '']]) =>
      (['ETHEREUM_TO_PARTNER', 'PARTNER_TO_ETHEREUM'] as const).map((direction) => ({
        asset,
        direction,
        open: true,
        reason: null,
        until: null,
        limit: {
          capacity: `${one}000`,
          capacityFormatted: `${formatted}000`,
          remaining: `${one}000`,
          remainingFormatted: `${formatted}000`,
        },
      })),
    ),
    assets: Object.entries(amounts).map(([asset, [one = '', formatted = '']]) => ({
      asset,
      locked: `${one}000`,
      lockedFormatted: `${formatted}000`,
      supply: `${one}000`,
      supplyFormatted: `${formatted}000`,
      float: asset === 'XCN' ? `${one}000` : null,
      floatFormatted: asset === 'XCN' ? `${formatted}000` : null,
      isCovered: true,
    })),
    announcements: [],
  };
}
