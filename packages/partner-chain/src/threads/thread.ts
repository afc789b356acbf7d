import { Worker } from 'node:worker_threads';
import { ChainError } from '../errors/chain-error.js';
import type { ThreadMessage, ThreadRequest } from './thread-messages.js';

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** A worker thread that answers requests. */
export class Thread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #ended: Promise<void>;
  #requests = 0;
  #hasEnded = false;

  /**
   * @param file the thread's first module.
   * @param data what the thread is told at its beginning (`workerData`).
   */
  constructor(file: URL, data: unknown, onEvent: (event: string, payload: unknown) => void = () => undefined) {
    this.#worker = new Worker(file, { workerData: data });
    this.#worker.on('message', (message: ThreadMessage) => {
      if (message.kind === 'event') onEvent(message.event, message.payload);
      else this.#answer(message);
    });
    let cause: Error | undefined;
    this.#worker.on('error', (error: Error) => (cause = error));
    this.#ended = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.#hasEnded = true;
        for (const waiting of this.#waiting.values()) {
          waiting.reject(cause ?? new ChainError('UNAVAILABLE', 'the thread ended before it answered'));
        }
        this.#waiting.clear();
        resolve();
      });
    });
  }

  /** @throws ChainError, or Error for a fault of the thread's. */
  request<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    if (this.#hasEnded) return Promise.reject(new ChainError('UNAVAILABLE', 'the thread has ended'));
    const id = (this.#requests += 1);
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
      this.#worker.postMessage({ id, method, params } satisfies ThreadRequest);
    }) as Promise<T>;
  }

  /** Resolves when the thread has ended by itself. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Ends the thread at once, whatever it does. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
    await this.#ended;
  }

  #answer(message: Exclude<ThreadMessage, { kind: 'event' }>): void {
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.kind === 'result') {
      waiting?.resolve(message.result);
      return;
    }
    const { code, message: text, data } = message.error;
    waiting?.reject(code === null ? new Error(text) : new ChainError(code, text, data === undefined ? {} : { data }));
  }
}
