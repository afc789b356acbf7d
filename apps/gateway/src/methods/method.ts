import type { z } from 'zod';
import type { Hex } from 'viem';
import type { Asker } from '../jsonrpc/asker.js';
import type { Connection } from '../transport/connection.js';

/** Who asks, and over what. */
export interface CallContext {
  /** The client's address as the limiter counts it. */
  readonly ip: string;
  /** The WebSocket connection, or null over HTTP. */
  readonly connection: Connection | null;
  /**
   * Resolves once the answer to the message is handed to the connection. Notifications of a subscription begin after that, so that its client knows the
   * id by then (in a batch this takes as long as its slowest call). Left out: at the next turn of the event loop.
   */
  readonly answered?: Promise<void>;
}

/**
 * One JSON-RPC method: its name, its schemas (from which the OpenRPC document is made and calls are checked) and what it does.
 */
export interface Method<Params extends readonly unknown[] = readonly unknown[]> {
  readonly name: string;
  readonly summary: string;
  /** Params in order: each has a name and a schema; optional ones come last. */
  readonly params: readonly MethodParam[];
  /** The schema every result satisfies. */
  readonly result: { readonly name: string; readonly schema: z.ZodType };
  /** Where the method can be called; both unless it says otherwise. */
  readonly transport?: 'websocket';
  /** Whether it opens something under an id that its answer alone tells. As a notification, which has no answer (JSON-RPC 2.0, section 4.1), it does nothing. */
  readonly opens?: true;
  /** A call and what comes of it, for the OpenRPC document. */
  readonly example?: MethodExample;
  /** A short way for calls whose params are written plainly; the others go the long one. */
  readonly plain?: PlainWay;
  /** Carries the call out with params already checked and completed by their defaults. */
  run(params: Params, context: CallContext): Promise<unknown>;
}

/** Asks with params as text. */
export type AskPlainly = (text: string, asker: Asker<Hex>) => void;

/** A way to carry a call out whose params need not be read: they are checked as text, and the backend gets that text. */
export interface PlainWay {
  /** Sticky; matches the params as `plainParams` says. */
  readonly params: RegExp;
  readonly ask: AskPlainly;
}

export interface MethodParam {
  readonly name: string;
  readonly description?: string;
  readonly schema: z.ZodType;
  readonly required: boolean;
}

/** Params as a caller writes them, and a result. */
export interface MethodExample {
  readonly params: readonly unknown[];
  readonly result: unknown;
}
