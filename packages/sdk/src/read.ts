import type { CausewayError } from './errors.js';
import { pause } from './pause.js';

/** Time for a read in milliseconds, unless the bridge sets another. */
export const TIMEOUT_MS = 15_000;
const MOST_ATTEMPTS = 4;

/** A failed attempt of a read that is repeated. */
export interface RetryEvent {
  /** Path of the API, such as `bridge/status`, or method of the wallet's node. */
  readonly request: string;
  /** Number of failed attempts. */
  readonly attempt: number;
  /** Wait until the next attempt, in milliseconds. */
  readonly waitMs: number;
  readonly error: CausewayError;
}

/** Options of every function that reads from the API or from a wallet's node. */
export interface ReadOptions {
  /** Aborts the read, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called before each repetition of a read, for example to show that the connection is slow. */
  readonly onRetry?: ((retry: RetryEvent) => void) | undefined;
}

/** A read and how to judge its failures. */
interface Read<T> {
  /** See `RetryEvent`. */
  readonly request: string;
  /** For all attempts and the waits between them. */
  readonly timeoutMs: number;
  /** Default 4. */
  readonly attempts?: number | undefined;
  /** The signal is aborted after `timeoutMs`, or by the caller. */
  readonly attempt: (signal: AbortSignal) => Promise<T>;
  readonly judge: (cause: unknown) => { readonly error: CausewayError; readonly isTransient: boolean };
}

/**
 * Reads within `timeoutMs`, and repeats an attempt that may succeed later. A wait that exceeds the remaining time ends
 * the read.
 *
 * @throws the error of the last attempt; the reason of the signal.
 */
export async function readInTime<T>(read: Read<T>, { signal, onRetry }: ReadOptions): Promise<T> {
  const { request, timeoutMs, attempts = MOST_ATTEMPTS } = read;
  const end = performance.now() + timeoutMs;
  return withSignal(signal, async (both, abort) => {
    const timer = setTimeout(() => abort(new Error(`no answer within ${timeoutMs / 1_000} s`)), timeoutMs);
    try {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await read.attempt(both);
        } catch (cause) {
          signal?.throwIfAborted();
          const { error, isTransient } = read.judge(cause);
          const waitMs = 1_000 * (error.retry.afterSeconds ?? 0) + Math.random() * 250 * 2 ** attempt;
          if (!isTransient || attempt === attempts || performance.now() + waitMs > end) throw error;
          onRetry?.({ request, attempt, waitMs, error });
          await pause(waitMs, { signal });
        }
      }
    } finally {
      clearTimeout(timer);
    }
  });
}

/** Runs work with its own signal, which the caller's signal also aborts. Work still running at the end is aborted. */
export async function withSignal<T>(
  signal: AbortSignal | undefined,
  run: (both: AbortSignal, abort: (reason: unknown) => void) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', abort);
  try {
    return await run(controller.signal, (reason) => controller.abort(reason));
  } finally {
    signal?.removeEventListener('abort', abort);
    controller.abort();
  }
}
