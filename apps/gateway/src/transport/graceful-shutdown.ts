import type { Server } from 'node:http';
import { Server as TcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BeforeApplicationShutdown, OnApplicationShutdown } from '@nestjs/common';
import type { Backend } from '../backends/backend.js';
import type { JsonRpcDispatcher } from '../jsonrpc/json-rpc-dispatcher.js';
import type { WebSocketEndpoint } from './web-socket-endpoint.js';

/** What is ended, and how long calls under way may take. */
export interface GracefulShutdownParts {
  readonly dispatcher: JsonRpcDispatcher;
  readonly webSockets: WebSocketEndpoint;
  readonly backend: Backend;
  readonly timeoutMs: number;
  server(): Server;
}

/** Time for requests that are on their way to be told that the gateway is shutting down, rather than to be cut off. */
const LAST_REQUESTS_MS = 100;
/** Time for the answers of the last calls to reach those who asked. */
const LAST_ANSWERS_MS = 1_000;

/**
 * Ends the gateway so that no call that it took is left unanswered, as far as there is time: it stops accepting, waits for the calls under way, says
 * goodbye on the WebSockets (1001), and only then ends the backend.
 */
export class GracefulShutdown implements BeforeApplicationShutdown, OnApplicationShutdown {
  constructor(private readonly parts: GracefulShutdownParts) {}

  /** Runs before NestJS ends the HTTP server. */
  async beforeApplicationShutdown(): Promise<void> {
    const { dispatcher, webSockets, timeoutMs } = this.parts;
    const server = this.parts.server();
    // Stops listening and no more: `close` of an HTTP server also cuts off connections that are between two requests.
    if (server.listening) TcpServer.prototype.close.call(server);
    webSockets.stopAccepting();
    await Promise.all([dispatcher.close(timeoutMs), sleep(LAST_REQUESTS_MS)]);
    await webSockets.close();
    // NestJS waits for every HTTP connection; who does not read its answer must not hold it up.
    setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS).unref();
  }

  /** Runs when nobody can call any more. */
  async onApplicationShutdown(): Promise<void> {
    await this.parts.backend.close();
  }
}
