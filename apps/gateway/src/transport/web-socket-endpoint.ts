import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { RpcError } from '../json-rpc/rpc-error.js';
import type { ExemptAddresses } from '../limits/exempt-addresses.js';
import { clientAddress } from './client-address.js';
import { CLOSE_CODES } from './close-codes.js';
import type { Cors } from './cors.js';
import { refuseUpgrade } from './refuse-upgrade.js';
import { WebSocketConnection, type WebSocketConnectionParts } from './web-socket-connection.js';

/** What the WebSocket endpoint works with. */
export interface WebSocketEndpointParts extends WebSocketConnectionParts {
  readonly cors: Cors;
  readonly exempt: ExemptAddresses;
  /** Longest message, bytes. */
  readonly bodyLimit: number;
  readonly trustedProxyHops: number;
  /** 0 for no limit. */
  readonly connectionsPerAddress: number;
  readonly pingIntervalMs: number;
  /** Hears of a connection refused because its client has too many. */
  readonly onRefused: () => void;
}

/** Spec "Endpoints": the base address, or /ws. */
const PATHS = new Set(['/', '/ws']);
/** How long a peer may take to read what is queued for it and to answer the close frame after it. */
const CLOSE_PATIENCE_MS = 5_000;
/** The same when the gateway itself ends. */
const LAST_PATIENCE_MS = 1_000;

/** JSON-RPC over WebSocket. */
export class WebSocketEndpoint {
  readonly #parts: WebSocketEndpointParts;
  readonly #server: WebSocketServer;
  readonly #connections = new Set<WebSocketConnection>();
  readonly #perAddress = new Map<string, number>();
  #heartbeat: NodeJS.Timeout | null = null;
  #closing = false;
  #lastId = 0;
  #onEmpty: () => void = () => undefined;

  constructor(parts: WebSocketEndpointParts) {
    this.#parts = parts;
    const options = {
      noServer: true,
      clientTracking: false,
      maxPayload: parts.bodyLimit,
      perMessageDeflate: false,
      // Its types do not know this option of `ws` yet.
      closeTimeout: CLOSE_PATIENCE_MS,
    };
    this.#server = new WebSocketServer(options);
  }

  /** Open connections. */
  get size(): number {
    return this.#connections.size;
  }

  /** Takes over the requests to become a WebSocket. */
  attach(server: Server): void {
    server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
    this.#heartbeat = setInterval(() => {
      for (const connection of this.#connections) connection.heartbeat();
    }, this.#parts.pingIntervalMs);
    this.#heartbeat.unref();
  }

  /** From now on no connection is accepted. */
  stopAccepting(): void {
    this.#closing = true;
  }

  /** Ends every connection with 1001 and waits until all are gone; a peer that does not answer is cut off. */
  async close(): Promise<void> {
    this.stopAccepting();
    if (this.#heartbeat !== null) clearInterval(this.#heartbeat);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onEmpty = resolve;
    if (this.#connections.size === 0) resolve();
    for (const connection of this.#connections)
      connection.close(CLOSE_CODES.GOING_AWAY, 'the gateway is shutting down');
    const timer = setTimeout(() => {
      for (const connection of this.#connections) connection.terminate();
    }, LAST_PATIENCE_MS);
    await promise;
    clearTimeout(timer);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const ip = clientAddress(request, this.#parts.trustedProxyHops);
    const refusal = this.#refusal(request, ip);
    if (refusal !== null) {
      refuseUpgrade(socket, refusal.status, refusal.error);
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      this.#lastId += 1;
      const connection = new WebSocketConnection(String(this.#lastId), ip, webSocket, this.#parts);
      this.#connections.add(connection);
      this.#perAddress.set(ip, this.#openOf(ip) + 1);
      // Counted until the socket is really gone, however long that takes.
      webSocket.once('close', () => this.#remove(connection));
    });
  }

  #refusal(
    { url = '', headers }: IncomingMessage,
    ip: string,
  ): { readonly status: number; readonly error: RpcError } | null {
    const { cors, exempt, connectionsPerAddress: most, onRefused } = this.#parts;
    if (this.#closing) {
      return { status: 503, error: new RpcError('RESOURCE_UNAVAILABLE', 'the gateway is shutting down; try again') };
    }
    if (!PATHS.has(url.split('?', 1)[0] ?? '')) {
      return { status: 404, error: new RpcError('INVALID_REQUEST', 'WebSockets are on /ws') };
    }
    if (!cors.allows(headers.origin)) {
      return { status: 403, error: new RpcError('INVALID_REQUEST', 'this origin may not call') };
    }
    if (most > 0 && this.#openOf(ip) >= most && !exempt.has(ip)) {
      onRefused();
      const why = `at most ${most} WebSocket connections at a time; close one and try again`;
      return { status: 429, error: new RpcError('RATE_LIMIT_EXCEEDED', why) };
    }
    return null;
  }

  #openOf(ip: string): number {
    return this.#perAddress.get(ip) ?? 0;
  }

  #remove(connection: WebSocketConnection): void {
    this.#connections.delete(connection);
    const left = this.#openOf(connection.ip) - 1;
    if (left > 0) this.#perAddress.set(connection.ip, left);
    else this.#perAddress.delete(connection.ip);
    if (this.#connections.size === 0) this.#onEmpty();
  }
}
