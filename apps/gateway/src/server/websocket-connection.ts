import { isUtf8 } from 'node:buffer';
import type { Client } from '@causeway/service/http';
import type { WebSocket } from 'ws';
import type { Dispatcher } from '../jsonrpc/dispatcher.js';
import type { Connection } from '../jsonrpc/method.js';
import type { ClientBudget } from '../client-budget.js';

export interface WebSocketConnectionOptions {
  readonly dispatcher: Dispatcher;
  readonly budget: ClientBudget;
  /** Maximum calls in flight before reading stops. One batch can exceed it. */
  readonly callsInFlight: number;
  /** Maximum characters of queued notifications. One message can exceed it. */
  readonly sendQueue: number;
}

/** Why the gateway closes a WebSocket (RFC 6455 section 7.4.1 and its registry). */
export const CLOSE_CODES = {
  GOING_AWAY: 1001,
  INVALID_DATA: 1007,
  POLICY_VIOLATION: 1008,
  TRY_AGAIN_LATER: 1013,
} as const;

/**
 * JSON-RPC over one WebSocket.
 *
 * If a client calls faster than it gets or reads responses, the gateway stops reading, and the calls wait in the
 * network. Notifications cannot wait: if they fill the queue, the client is disconnected.
 */
export class WebSocketConnection implements Connection {
  private readonly closeListeners = new Set<() => void>();
  /** Messages that arrived before reading stopped: at most one network read. */
  private readonly waiting: string[] = [];
  private callsInFlight = 0;
  /** Characters of notifications that the peer has not read. */
  private queued = 0;
  private ended = false;
  /** Whether the peer gave a sign of life since the last heartbeat. */
  private alive = true;

  constructor(
    readonly id: string,
    readonly client: Client,
    private readonly socket: WebSocket,
    private readonly options: WebSocketConnectionOptions,
  ) {
    socket.on('message', (data: Buffer, isBinary) => this.receive(data, isBinary));
    socket.on('pong', () => {
      this.alive = true;
    });
    // After a protocol error `ws` closes with the right code and emits 'close'.
    socket.on('error', () => this.end());
    socket.on('close', () => this.end());
  }

  send(text: string): void {
    if (this.ended) return;
    if (this.queued > this.options.sendQueue) {
      this.disconnect('messages are read too slowly');
      return;
    }
    this.queued += text.length;
    this.write(text, () => {
      this.queued -= text.length;
    });
  }

  onClose(listener: () => void): void {
    if (this.ended) listener();
    else this.closeListeners.add(listener);
  }

  disconnect(reason: string): void {
    if (!this.ended) this.close(CLOSE_CODES.TRY_AGAIN_LATER, reason);
  }

  /** Closes the connection; only the close frame is still sent. */
  close(code: number, reason: string): void {
    this.socket.close(code, reason);
    // The peer's close frame must be read even if its calls are not.
    this.socket.resume();
    this.end();
  }

  terminate(): void {
    this.socket.terminate();
  }

  /** Sends a ping, or cuts off a peer that has not answered since the last one. */
  heartbeat(): void {
    // While its calls are in flight the gateway may have stopped reading from it. Those calls time out.
    if (!this.alive && this.callsInFlight === 0) {
      this.terminate();
      return;
    }
    this.alive = false;
    if (!this.ended) this.socket.ping();
  }

  private onSent(error: Error | null | undefined): void {
    if (error) return;
    this.alive = true;
    if (this.socket.isPaused) this.startWaiting();
  }

  private receive(data: Buffer, isBinary: boolean): void {
    this.alive = true;
    if (this.ended) return;
    // `ws` has checked text. Binary messages are read as text too, as Ethereum nodes do.
    if (isBinary && !isUtf8(data)) {
      this.close(CLOSE_CODES.INVALID_DATA, 'messages must be UTF-8');
      return;
    }
    this.waiting.push(data.toString());
    this.startWaiting();
  }

  /** Starts queued messages within the limits, and resumes reading only if none is left. */
  private startWaiting(): void {
    while (!this.isBusy()) {
      const text = this.waiting.shift();
      if (text === undefined) {
        if (this.socket.isPaused) this.socket.resume();
        return;
      }
      void this.run(text);
    }
    this.socket.pause();
  }

  private isBusy(): boolean {
    const { callsInFlight, sendQueue } = this.options;
    return this.callsInFlight >= callsInFlight || this.socket.bufferedAmount > sendQueue / 2;
  }

  private async run(text: string): Promise<void> {
    const { dispatcher, budget } = this.options;
    const { promise: answered, resolve: onAnswered } = Promise.withResolvers<void>();
    let calls = 1;
    this.callsInFlight += calls;
    const context = { ip: this.client.key, connection: this, answered };
    const response = await dispatcher.dispatch(text, context, (count) => {
      this.callsInFlight += count - calls;
      calls = count;
      return budget.takeCalls(this.client, count);
    });
    this.callsInFlight -= calls;
    if (response !== null) this.respond(response);
    onAnswered();
    if (!this.ended) this.startWaiting();
  }

  /** A response can exceed the queue, because reading stops meanwhile and the client's unread bytes are limited. */
  private respond(message: string): void {
    const { budget, sendQueue } = this.options;
    if (this.ended) return;
    if (this.socket.bufferedAmount > sendQueue && budget.isOver('unreadBytes', this.client)) {
      this.disconnect('answers are read too slowly');
      return;
    }
    this.write(message, () => undefined);
  }

  private write(text: string, onWritten: () => void): void {
    const release = this.options.budget.holdUnread(this.client, text.length, () => this.terminate());
    this.socket.send(text, (error) => {
      release();
      onWritten();
      this.onSent(error);
    });
  }

  private end(): void {
    if (this.ended) return;
    this.ended = true;
    this.waiting.length = 0;
    for (const listener of this.closeListeners) listener();
    this.closeListeners.clear();
  }
}
