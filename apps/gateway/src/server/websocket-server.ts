import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Client, Cors } from '@causeway/service/http';
import { WebSocketServer as WsServer } from 'ws';
import { CHALLENGE, WRONG_KEY, type Clients } from '../access/clients.js';
import { RpcError, type RpcErrorName } from '../jsonrpc/errors.js';
import { refuseUpgrade } from './http-errors.js';
import { CLOSE_CODES, WebSocketConnection, type WebSocketConnectionOptions } from './websocket-connection.js';

interface WebSocketServerOptions extends WebSocketConnectionOptions {
  readonly cors: Cors;
  readonly bodyLimit: number;
  readonly clients: Clients;
  readonly pingIntervalMs: number;
  /** Called when a connection is refused because its client has too many connections. */
  readonly onRefused: (client: Client) => void;
}

/** Spec "Endpoints": the base address, or /ws; some clients end a path with a slash. */
const PATHS = new Set(['/', '/ws', '/ws/']);
/** How long a peer can take to read its queue and answer the close frame, in milliseconds. */
const CLOSE_TIMEOUT_MS = 5_000;
/** Like `CLOSE_TIMEOUT_MS`, when the gateway shuts down. */
const SHUTDOWN_TIMEOUT_MS = 1_000;

export class WebSocketServer {
  private readonly server: WsServer;
  private readonly connections = new Set<WebSocketConnection>();
  private heartbeat: NodeJS.Timeout | null = null;
  private lastId = 0;
  private onEmpty: () => void = () => undefined;

  constructor(private readonly options: WebSocketServerOptions) {
    const wsOptions = {
      noServer: true,
      clientTracking: false,
      maxPayload: options.bodyLimit,
      perMessageDeflate: false,
      // The types of `ws` lack this option.
      closeTimeout: CLOSE_TIMEOUT_MS,
    };
    this.server = new WsServer(wsOptions);
  }

  get size(): number {
    return this.connections.size;
  }

  attach(server: Server): void {
    server.on('upgrade', (request, socket, head) => this.upgrade(request, socket, head));
    this.heartbeat = setInterval(() => {
      for (const connection of this.connections) connection.heartbeat();
    }, this.options.pingIntervalMs).unref();
  }

  /** Closes every connection with 1001 and waits until all are gone; a peer that does not answer is cut off. */
  async close(): Promise<void> {
    if (this.heartbeat !== null) clearInterval(this.heartbeat);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.onEmpty = resolve;
    if (this.connections.size === 0) resolve();
    for (const connection of this.connections) {
      connection.close(CLOSE_CODES.GOING_AWAY, 'the gateway is shutting down');
    }
    const timer = setTimeout(() => {
      for (const connection of this.connections) connection.terminate();
    }, SHUTDOWN_TIMEOUT_MS);
    await promise;
    clearTimeout(timer);
  }

  /** Closes the connections of clients whose key was revoked. */
  endClients(clients: readonly Client[]): void {
    const ended = new Set(clients.map(({ key }) => key));
    for (const connection of this.connections) {
      if (ended.has(connection.client.key)) connection.close(CLOSE_CODES.POLICY_VIOLATION, WRONG_KEY);
    }
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { dispatcher, cors, budget, clients, onRefused } = this.options;
    socket.once('error', () => socket.destroy());
    const refuse = (status: number, kind: RpcErrorName, detail: string) =>
      refuseUpgrade(socket, status, new RpcError(kind, detail));
    if (dispatcher.closing) return refuse(503, 'RESOURCE_UNAVAILABLE', 'the gateway is shutting down; try again');
    const isKnown = PATHS.has(request.url?.split('?', 1)[0] ?? '');
    if (!isKnown) return refuse(404, 'INVALID_REQUEST', 'WebSockets are on / and /ws');
    if (!cors.allows(request.headers.origin)) return refuse(403, 'INVALID_REQUEST', 'this origin is not allowed');
    const { client, hasWrongKey } = clients.identify(request);
    if (hasWrongKey) return void this.refuseKey(client, socket);
    // Counts the socket for its client until it is closed.
    const release = budget.take('connections', client, 1);
    if (typeof release !== 'function') {
      onRefused(client);
      const problem = `at most ${budget.getLimit('connections', client)} WebSocket connections of one client`;
      return refuse(429, 'RATE_LIMIT_EXCEEDED', `${problem}; close one and try again`);
    }
    socket.once('close', release);
    this.server.handleUpgrade(request, socket, head, (webSocket) => {
      this.lastId += 1;
      const connection = new WebSocketConnection(String(this.lastId), client, webSocket, this.options);
      this.connections.add(connection);
      webSocket.once('close', () => this.remove(connection));
    });
  }

  /** Counts as a call of the address, so that guessing keys is not free. */
  private async refuseKey(client: Client, socket: Duplex): Promise<void> {
    const { admitted, refusal } = await this.options.budget.takeCalls(client, 1);
    if (admitted === 0) refuseUpgrade(socket, 429, new RpcError('RATE_LIMIT_EXCEEDED', refusal));
    else refuseUpgrade(socket, 401, new RpcError('INVALID_REQUEST', WRONG_KEY), CHALLENGE);
  }

  private remove(connection: WebSocketConnection): void {
    this.connections.delete(connection);
    if (this.connections.size === 0) this.onEmpty();
  }
}
