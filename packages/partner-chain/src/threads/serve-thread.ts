import { parentPort } from 'node:worker_threads';
import { ChainError } from '../errors/chain-error.js';
import type { ThreadError, ThreadMessage, ThreadRequest } from './thread-messages.js';

export type ThreadMethods = Readonly<Record<string, (...params: never[]) => unknown>>;

/** Answers the requests of the thread that began this one, by these methods. */
export function serveThread(methods: ThreadMethods): { emit(event: string, payload: unknown): void } {
  const port = parentPort;
  if (port === null) throw new Error('This file is the beginning of a thread, not a program');
  const say = (message: ThreadMessage): void => port.postMessage(message);
  port.on('message', ({ id, method, params }: ThreadRequest) => {
    void (async () => methods[method]?.(...(params as never[])))().then(
      (result) => say({ kind: 'result', id, result }),
      (error: unknown) => say({ kind: 'error', id, error: toThreadError(error) }),
    );
  });
  return { emit: (event, payload) => say({ kind: 'event', event, payload }) };
}

/** An error in a form that can be sent to another thread. */
export function toThreadError(error: unknown): ThreadError {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof ChainError
    ? { code: error.code, message, data: error.data }
    : { code: null, message, data: undefined };
}
