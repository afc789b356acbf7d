import type { z } from 'zod';

/** One WebSocket client, as subscriptions see it. */
export interface Connection {
  /** Unique within this process. */
  readonly id: string;
  readonly ip: string;
  /**
   * Queues one message. A client that reads too slowly for the bounded queue is disconnected instead (close code 1013).
   * After any close this does nothing. Never throws.
   */
  send(text: string): void;
  /**
   * Closes the connection (close code 1013) because a promise to the client cannot be kept, such as a subscription
   * without gaps. Does nothing on a closed connection. Never throws.
   *
   * @param reason a short explanation for the client, at most 100 ASCII characters.
   */
  disconnect(reason: string): void;
  /** Calls the listener once when the connection closes, or immediately if it is closed already. */
  onClose(listener: () => void): void;
}

/** The caller and the transport of a call. */
export interface CallContext {
  /** The client's address as the limits count it (see `networkOf`). */
  readonly ip: string;
  /** The WebSocket connection; null over HTTP. */
  readonly connection: Connection | null;
  /**
   * Resolves when the response is handed to the connection. Notifications of a subscription start after that, so that
   * the client knows the id. In a batch this takes as long as its slowest call. Left out: at the next turn of the event
   * loop.
   */
  readonly answered?: Promise<void>;
}

/**
 * One JSON-RPC method: its name, its schemas (which check calls and make the OpenRPC document) and its implementation.
 */
export interface Method<Params extends readonly unknown[] = readonly unknown[]> {
  readonly name: string;
  readonly summary: string;
  /** Params in order; optional ones come last. */
  readonly params: readonly MethodParam[];
  /** The schema that every result satisfies. */
  readonly result: { readonly name: string; readonly schema: z.ZodType };
  /** The only transport of the method; both when left out. */
  readonly transport?: 'websocket';
  /**
   * Whether the method creates something whose id only the response contains. A notification has no response (JSON-RPC
   * 2.0, section 4.1), so such a method does nothing when called as one.
   */
  readonly opens?: true;
  /** A call and its result, for the OpenRPC document. */
  readonly example?: { readonly params: readonly unknown[]; readonly result: unknown };
  /** Runs the call. The params are checked already and completed by their defaults. */
  run(params: Params, context: CallContext): Promise<unknown>;
}

export interface MethodParam {
  readonly name: string;
  readonly description?: string;
  readonly schema: z.ZodType;
  readonly required: boolean;
}

/** The methods on offer, by name. */
export type Methods = ReadonlyMap<string, Method>;

/** How many calls of a message may run now. */
interface Admission {
  /** From 0 to the number asked for; the first calls of the message run. */
  readonly admitted: number;
  /** The detail of the error -32005 of the calls that do not run. */
  readonly refusal: string;
}

/**
 * Decides how many calls of a message run; called once a message, before any of them. Invalid calls count too, so that
 * broken messages are not free. Must not reject.
 *
 * @param calls 1 for a single message, the length of a batch.
 */
export type Admit = (calls: number) => Admission | Promise<Admission>;

/** Receives measurements of calls. Implementations must not throw. */
export interface CallObserver {
  /**
   * One call has ended.
   *
   * @param method a method on offer, or `other`: names that callers invent never become labels.
   * @param code 0 for a result, else the code of the error.
   * @param durationMs from start to response; null for a call that never ran.
   */
  callEnded(method: string, code: number, durationMs: number | null): void;
  /** A batch has arrived. */
  batchReceived(calls: number): void;
}
