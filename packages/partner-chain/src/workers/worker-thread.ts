import { parentPort, Worker } from 'node:worker_threads';
import { PartnerChainError, type PartnerChainErrorCode } from '../errors.js';

/** A request to a thread. The response has the same id. */
interface ThreadRequest {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A message from a thread: the response to a request, or an event. */
type ThreadMessage =
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: ThreadError }
  | { readonly kind: 'event'; readonly event: string; readonly payload: unknown };

/** An error that can be sent to another thread. */
export interface ThreadError {
  /** Null for errors other than PartnerChainError. */
  readonly code: PartnerChainErrorCode | null;
  readonly message: string;
  readonly data: `0x${string}` | undefined;
}

interface PendingRequest {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** Entry modules of this package's threads, in the folder of this file, also in a service's bundle. */
export const ENGINE_MODULE = new URL('./engine-worker.js', import.meta.url);
export const CALL_MODULE = new URL('./call-worker.js', import.meta.url);

/** A worker thread that answers requests, as seen by the thread that started it. */
export class WorkerThread {
  private readonly worker: Worker;
  private readonly pending = new Map<number, PendingRequest>();
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>;
  private requests = 0;
  private hasEnded = false;

  /**
   * @param module entry module of the thread.
   * @param data passed to the thread as `workerData`.
   */
  constructor(module: URL, data: unknown, onEvent: (event: string, payload: unknown) => void = () => undefined) {
    this.worker = new Worker(module, { workerData: data });
    this.worker.on('message', (message: ThreadMessage) => {
      if (message.kind === 'event') onEvent(message.event, message.payload);
      else this.settle(message);
    });
    let cause: Error | undefined;
    this.worker.on('error', (error: Error) => (cause = error));
    this.ended = new Promise((resolve) => {
      this.worker.on('exit', () => {
        this.hasEnded = true;
        for (const request of this.pending.values()) {
          request.reject(cause ?? new PartnerChainError('UNAVAILABLE', 'the thread ended before it answered'));
        }
        this.pending.clear();
        resolve();
      });
    });
  }

  /** @throws PartnerChainError, or Error for a bug in the thread. */
  request<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    if (this.hasEnded) return Promise.reject(new PartnerChainError('UNAVAILABLE', 'the thread has ended'));
    const id = (this.requests += 1);
    return new Promise<unknown>((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
      this.worker.postMessage({ id, method, params } satisfies ThreadRequest);
    }) as Promise<T>;
  }

  /** Ends the thread immediately, even while it is busy. */
  async terminate(): Promise<void> {
    await this.worker.terminate();
    await this.ended;
  }

  private settle(message: Exclude<ThreadMessage, { kind: 'event' }>): void {
    const request = this.pending.get(message.id);
    this.pending.delete(message.id);
    if (message.kind === 'result') {
      request?.resolve(message.result);
      return;
    }
    const { code, message: text, data } = message.error;
    const options = data === undefined ? {} : { data };
    request?.reject(code === null ? new Error(text) : new PartnerChainError(code, text, options));
  }
}

/** Serves the parent thread's requests with these methods, in the worker thread. */
export function serveRequests(methods: Readonly<Record<string, (...params: never[]) => unknown>>): {
  emit(event: string, payload: unknown): void;
} {
  const port = parentPort;
  if (port === null) throw new Error('This file is the entry point of a worker thread, not a program');
  const send = (message: ThreadMessage): void => port.postMessage(message);
  port.on('message', ({ id, method, params }: ThreadRequest) => {
    void (async () => methods[method]?.(...(params as never[])))().then(
      (result) => send({ kind: 'result', id, result }),
      (error: unknown) => send({ kind: 'error', id, error: toThreadError(error) }),
    );
  });
  return { emit: (event, payload) => send({ kind: 'event', event, payload }) };
}

/** Converts an error for another thread. */
export function toThreadError(error: unknown): ThreadError {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof PartnerChainError
    ? { code: error.code, message, data: error.data }
    : { code: null, message, data: undefined };
}
