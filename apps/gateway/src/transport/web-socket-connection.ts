import { isUtf8 } from 'node:buffer';
import type { WebSocket } from 'ws';
import type { Dispatcher } from '../jsonrpc/dispatcher.js';
import type { RateLimiter } from '../limits/rate-limiter.js';
import { CLOSE_CODES } from './close-codes.js';
import type { Connection } from './connection.js';
import type { ClientMemory } from './client-memory.js';

/** What a connection works with. */
export interface WebSocketConnectionParts {
  readonly dispatcher: Dispatcher;
  readonly limiter: RateLimiter;
  readonly memory: ClientMemory;
  /** Calls under way before no more is read. One batch may go beyond it. */
  readonly callsInFlight: number;
  /** Characters of unasked messages that may wait for the peer to read them; one message may go beyond it. */
  readonly sendQueue: number;
}

/**
 * JSON-RPC over one WebSocket.
 *
 * A client that calls faster than its calls are answered, or than it reads the answers, is not read from meanwhile: what it sends waits on its own
 * side of the network. What it has subscribed to cannot wait; if that fills its queue, it is disconnected.
 */
export class WebSocketConnection implements Connection {
  readonly #socket: WebSocket;
  readonly #parts: WebSocketConnectionParts;
  readonly #closeListeners = new Set<() => void>();
  /** Messages that had arrived when reading was paused: at most what one read from the network holds. */
  readonly #waiting: string[] = [];
  #callsInFlight = 0;
  /** Characters of unasked messages that the peer has not read. */
  #queued = 0;
  #ended = false;
  /** Whether the peer gave a sign of life since the last heartbeat. */
  #alive = true;

  /** @param ip as `networkOf` writes it. */
  constructor(
    readonly id: string,
    readonly ip: string,
    socket: WebSocket,
    parts: WebSocketConnectionParts,
  ) {
    this.#socket = socket;
    this.#parts = parts;
    socket.on('message', (data: Buffer, isBinary) => this.#receive(data, isBinary));
    socket.on('pong', () => {
      this.#alive = true;
    });
    // After an error of the protocol `ws` itself closes with the code for it, and tells us by 'close'.
    socket.on('error', () => this.#end());
    socket.on('close', () => this.#end());
  }

  send(text: string): void {
    if (this.#ended) return;
    if (this.#queued > this.#parts.sendQueue) {
      this.disconnect('messages are read too slowly');
      return;
    }
    this.#queued += text.length;
    this.#socket.send(text, (error) => {
      this.#queued -= text.length;
      this.#onSent(error);
    });
  }

  onClose(listener: () => void): void {
    if (this.#ended) listener();
    else this.#closeListeners.add(listener);
  }

  disconnect(reason: string): void {
    if (!this.#ended) this.close(CLOSE_CODES.TRY_AGAIN_LATER, reason);
  }

  /** Ends the connection; nothing is sent any more but the close frame. */
  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
    // Its answer to the close frame is to be read even if its calls are not.
    this.#socket.resume();
    this.#end();
  }

  /** Ends the connection at once. */
  terminate(): void {
    this.#socket.terminate();
  }

  /** Asks the peer for a sign of life, or gives it up if it has not given one since the last time. */
  heartbeat(): void {
    // While its calls are under way nothing may be read from it; they end in time.
    if (!this.#alive && this.#callsInFlight === 0) {
      this.terminate();
      return;
    }
    this.#alive = false;
    if (!this.#ended) this.#socket.ping();
  }

  #onSent(error: Error | null | undefined): void {
    if (error) return;
    this.#alive = true;
    if (this.#socket.isPaused) this.#goOn();
  }

  #receive(data: Buffer, isBinary: boolean): void {
    this.#alive = true;
    if (this.#ended) return;
    // `ws` has checked text; binary messages are taken as text too, as Ethereum nodes do.
    if (isBinary && !isUtf8(data)) {
      this.close(CLOSE_CODES.INVALID_DATA, 'messages must be UTF-8');
      return;
    }
    this.#waiting.push(data.toString());
    this.#goOn();
  }

  /** Begins what is waiting as far as there is room, and reads more only if nothing is left. */
  #goOn(): void {
    while (!this.#isBusy()) {
      const text = this.#waiting.shift();
      if (text === undefined) {
        if (this.#socket.isPaused) this.#socket.resume();
        return;
      }
      void this.#carryOut(text);
    }
    this.#socket.pause();
  }

  #isBusy(): boolean {
    return this.#callsInFlight >= this.#parts.callsInFlight || this.#socket.bufferedAmount > this.#parts.sendQueue / 2;
  }

  async #carryOut(text: string): Promise<void> {
    const { dispatcher, limiter } = this.#parts;
    const { promise: answered, resolve: onAnswered } = Promise.withResolvers<void>();
    let calls = 1;
    this.#callsInFlight += calls;
    const context = { ip: this.ip, connection: this, answered };
    const message = await dispatcher.dispatch(text, context, (count) => {
      this.#callsInFlight += count - calls;
      calls = count;
      return limiter.take(this.ip, count);
    });
    this.#callsInFlight -= calls;
    if (message !== null) this.#answer(message);
    onAnswered();
    if (!this.#ended) this.#goOn();
  }

  /** An answer may wait beyond the queue, as no more is read meanwhile; all that one client leaves unread may not. */
  #answer(message: string): void {
    const { memory, sendQueue } = this.#parts;
    if (this.#ended) return;
    if (this.#socket.bufferedAmount > sendQueue && memory.isTooMuch(this.ip)) {
      this.disconnect('answers are read too slowly');
      return;
    }
    const release = memory.hold(this.ip, message.length);
    this.#socket.send(message, (error) => {
      release();
      this.#onSent(error);
    });
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#waiting.length = 0;
    for (const listener of this.#closeListeners) listener();
    this.#closeListeners.clear();
  }
}
