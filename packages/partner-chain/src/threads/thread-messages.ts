import type { ChainErrorCode } from '../errors/chain-error.js';

/** A request to a thread; answered by a `ThreadAnswer` with the same id. */
export interface ThreadRequest {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What a thread says: the answer to a request, or an event. */
export type ThreadMessage =
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: ThreadError }
  | { readonly kind: 'event'; readonly event: string; readonly payload: unknown };

/** An error as it goes from thread to thread. */
export interface ThreadError {
  /** None for what is not a ChainError. */
  readonly code: ChainErrorCode | null;
  readonly message: string;
  readonly data: `0x${string}` | undefined;
}
