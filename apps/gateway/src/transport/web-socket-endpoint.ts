import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { RpcError } from '../jsonrpc/errors.js';
import type { ConnectionLimiter } from '../limits/connection-limiter.js';
import { clientAddress } from './client-address.js';
import { CLOSE_CODES } from './close-codes.js';
import type { Cors } from './cors.js';
import { refuseAtSocket } from './refuse-at-socket.js';
import { WebSocketConnection, type WebSocketConnectionParts } from './web-socket-connection.js';

/** What the WebSocket endpoint works with. */
export interface WebSocketEndpointParts extends WebSocketConnectionParts {
  readonly cors: Cors;
  readonly connections: ConnectionLimiter;
  /** Longest message, bytes. */
  readonly bodyLimit: number;
  readonly trustedProxyHops: number;
  readonly pingIntervalMs: number;
  /** Hears of a connection refused because its client has too many. */
  readonly onRefused: () => void;
}

/** Spec "Endpoints": the base address, or /ws; some clients end a path with a slash. */
const PATHS = new Set(['/', '/ws', '/ws/']);
/** How long a peer may take to read what is queued for it and to answer the close frame after it. */
const CLOSE_PATIENCE_MS = 5_000;
/** The same when the gateway itself ends. */
const LAST_PATIENCE_MS = 1_000;

/** Why a request to become a WebSocket is refused. */
interface Refusal {
  /** Of HTTP. */
  readonly status: number;
  readonly error: RpcError;
}

const SHUTTING_DOWN: Refusal = {
  status: 503,
  error: new RpcError('RESOURCE_UNAVAILABLE', 'the gateway is shutting down; try again'),
};

/** JSON-RPC over WebSocket. */
export class WebSocketEndpoint {
  readonly #parts: WebSocketEndpointParts;
  readonly #server: WebSocketServer;
  readonly #connections = new Set<WebSocketConnection>();
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
    server.on('upgrade', (request, socket, head) => void this.#upgrade(request, socket, head));
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

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const refusal = this.#refusal(request);
    if (refusal !== null) {
      refuseAtSocket(socket, refusal.status, refusal.error);
      return;
    }
    const ip = clientAddress(request, this.#parts.trustedProxyHops);
    if (!(await this.#takePlace(socket, ip))) return;
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      this.#lastId += 1;
      const connection = new WebSocketConnection(String(this.#lastId), ip, webSocket, this.#parts);
      this.#connections.add(connection);
      webSocket.once('close', () => this.#remove(connection));
    });
  }

  /** Counts the socket for its client until it is really gone, however long that takes; false, and refused, if there is no place for it. */
  async #takePlace(socket: Duplex, ip: string): Promise<boolean> {
    const { connections, onRefused } = this.#parts;
    socket.once('error', () => socket.destroy());
    const release = await connections.take(ip);
    if (release === null) {
      onRefused();
      const why = `at most ${connections.most} WebSocket connections at a time; close one and try again`;
      refuseAtSocket(socket, 429, new RpcError('RATE_LIMIT_EXCEEDED', why));
      return false;
    }
    if (socket.destroyed) {
      release();
      return false;
    }
    socket.once('close', release);
    if (this.#closing) refuseAtSocket(socket, SHUTTING_DOWN.status, SHUTTING_DOWN.error);
    return !this.#closing;
  }

  #refusal({ url = '', headers }: IncomingMessage): Refusal | null {
    const { cors } = this.#parts;
    if (this.#closing) return SHUTTING_DOWN;
    if (!PATHS.has(url.split('?', 1)[0] ?? '')) {
      return { status: 404, error: new RpcError('INVALID_REQUEST', 'WebSockets are on / and /ws') };
    }
    if (!cors.allows(headers.origin)) {
      return { status: 403, error: new RpcError('INVALID_REQUEST', 'this origin may not call') };
    }
    return null;
  }

  #remove(connection: WebSocketConnection): void {
    this.#connections.delete(connection);
    if (this.#connections.size === 0) this.#onEmpty();
  }
}
