import { Dispatcher } from '../../src/jsonrpc/dispatcher.js';
import type { RpcError } from '../../src/jsonrpc/errors.js';
import type { Connection, Methods } from '../../src/jsonrpc/method.js';

export type RpcErrorBody = ReturnType<RpcError['toBody']>;

interface Answer {
  readonly result?: unknown;
  readonly error?: RpcErrorBody;
}

/** Calls methods like the server, including the checks of params. */
export class Caller {
  /** Names that were called. */
  readonly called = new Set<string>();
  private readonly dispatcher: Dispatcher;

  constructor(
    methods: Methods,
    private readonly connection: Connection | null = null,
  ) {
    this.dispatcher = new Dispatcher({
      methods,
      batchLimit: 100,
      batchAnswerLimit: 32 * 1024 * 1024,
      callTimeoutMs: 30_000,
      observer: { callEnded: () => undefined, batchReceived: () => undefined },
      logger: {
        error: (details) => {
          throw new Error('A call failed unexpectedly', { cause: details });
        },
      },
      now: () => performance.now(),
    });
  }

  /** @returns the text of the answer to a message; null for a notification. */
  sendText(message: string): Promise<string | null> {
    return this.dispatcher.dispatch(message, { ip: '192.0.2.1', connection: this.connection });
  }

  /** @throws Error with the method's response if it is an error. */
  async call<T = unknown>(method: string, ...params: unknown[]): Promise<T> {
    const { result, error } = await this.answer(method, params);
    if (error !== undefined) throw new Error(`${method}: ${error.message} (${error.code})`);
    return result as T;
  }

  /** Returns the error of a call that must be refused. */
  async refusal(method: string, ...params: unknown[]): Promise<RpcErrorBody> {
    const { result, error } = await this.answer(method, params);
    if (error === undefined) throw new Error(`${method} was not refused: ${JSON.stringify(result)}`);
    return error;
  }

  /** Sends a notification, which must not be answered. */
  async notify(method: string, ...params: unknown[]): Promise<void> {
    const answer = await this.sendText(JSON.stringify({ jsonrpc: '2.0', method, params }));
    if (answer !== null) throw new Error(`${method} was answered as a notification: ${answer}`);
  }

  private async answer(method: string, params: readonly unknown[]): Promise<Answer> {
    this.called.add(method);
    const answer = await this.sendText(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    return JSON.parse(answer ?? '{}') as Answer;
  }
}

let count = 0;

/** A WebSocket client that records everything. */
export class FakeConnection implements Connection {
  readonly id = `connection-${(count += 1)}`;
  readonly texts: string[] = [];
  /** Why it was disconnected; null while connected. */
  reason: string | null = null;
  private readonly listeners: (() => void)[] = [];
  private isClosed = false;

  /** @param most messages it takes before it counts as too slow. */
  constructor(private readonly most = Infinity) {}

  /** Results of the notifications of one subscription, or of all. */
  results(id?: string): unknown[] {
    return this.texts
      .map((text) => JSON.parse(text) as { params: { subscription: string; result: unknown } })
      .filter(({ params }) => id === undefined || params.subscription === id)
      .map(({ params }) => params.result);
  }

  send(text: string): void {
    if (this.isClosed) return;
    if (this.texts.length >= this.most) this.disconnect('too slow');
    else this.texts.push(text);
  }

  disconnect(reason: string): void {
    if (this.isClosed) return;
    this.reason = reason;
    this.close();
  }

  onClose(listener: () => void): void {
    if (this.isClosed) listener();
    else this.listeners.push(listener);
  }

  close(): void {
    this.isClosed = true;
    for (const listener of this.listeners.splice(0)) listener();
  }
}
