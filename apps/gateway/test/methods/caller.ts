import { JsonRpcDispatcher } from '../../src/jsonrpc/json-rpc-dispatcher.js';
import type { RpcErrorBody } from '../../src/jsonrpc/errors.js';
import type { Method } from '../../src/methods/method.js';
import type { Connection } from '../../src/transport/connection.js';

interface Answer {
  readonly result?: unknown;
  readonly error?: RpcErrorBody;
}

/** Calls methods as the transport does, checks of params included. */
export class Caller {
  /** Names that were called. */
  readonly called = new Set<string>();
  readonly #dispatcher: JsonRpcDispatcher;

  constructor(
    methods: ReadonlyMap<string, Method>,
    private readonly connection: Connection | null = null,
  ) {
    this.#dispatcher = new JsonRpcDispatcher({
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

  /** @throws Error with what the method answered when it is an error. */
  async call<T = unknown>(method: string, ...params: unknown[]): Promise<T> {
    const { result, error } = await this.#answer(method, params);
    if (error !== undefined) throw new Error(`${method}: ${error.message} (${error.code})`);
    return result as T;
  }

  /** The error a call is answered with. */
  async refusal(method: string, ...params: unknown[]): Promise<RpcErrorBody> {
    const { result, error } = await this.#answer(method, params);
    if (error === undefined) throw new Error(`${method} was not refused: ${JSON.stringify(result)}`);
    return error;
  }

  /** Sends a notification, which must not be answered. */
  async notify(method: string, ...params: unknown[]): Promise<void> {
    const answer = await this.#dispatch({ jsonrpc: '2.0', method, params });
    if (answer !== null) throw new Error(`${method} was answered as a notification: ${answer}`);
  }

  async #answer(method: string, params: readonly unknown[]): Promise<Answer> {
    this.called.add(method);
    const answer = await this.#dispatch({ jsonrpc: '2.0', id: 1, method, params });
    return JSON.parse(answer ?? '{}') as Answer;
  }

  #dispatch(message: object): Promise<string | null> {
    const context = { ip: '192.0.2.1', connection: this.connection };
    return this.#dispatcher.dispatch(JSON.stringify(message), context);
  }
}
