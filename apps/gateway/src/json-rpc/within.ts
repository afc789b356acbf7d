import { RpcError } from './rpc-error.js';

/**
 * Waits for a call no longer than it may take. The call itself goes on; what it comes to later is dropped.
 *
 * @param limitMs how long to wait.
 * @throws RpcError -32002 when the time is over; else what the call throws.
 */
export function within<T>(limitMs: number, call: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new RpcError('RESOURCE_UNAVAILABLE', `no answer within ${limitMs / 1_000} s; try again later`));
    }, limitMs);
    call.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(
          error instanceof Error ? error : new Error('A call failed with something that is no error', { cause: error }),
        );
      },
    );
  });
}
