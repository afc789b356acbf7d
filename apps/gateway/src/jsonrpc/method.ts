import { z } from 'zod';
import { RpcError } from './errors.js';

/** One WebSocket client, as subscriptions see it. */
export interface Connection {
  /** Unique within this process. */
  readonly id: string;
  /** Queues one message. A client that reads too slowly is disconnected instead (close code 1013). Never throws. */
  send(text: string): void;
  /**
   * Closes the connection (1013) because the gateway cannot deliver what it promised. @param reason at most 100 ASCII
   * characters.
   */
  disconnect(reason: string): void;
  /** Calls the listener once when the connection closes, or immediately if it is closed already. */
  onClose(listener: () => void): void;
}

/** The caller and the transport of a call. */
export interface CallContext {
  /** Address or network for which the client's calls count: the `key` of its `Client`. */
  readonly ip: string;
  readonly connection: Connection | null;
  /** Resolves when the response is handed to the connection; only then notifications of a new subscription start. */
  readonly answered?: Promise<void>;
}

/** One JSON-RPC method: its name, its schemas for checks and the OpenRPC document, and its implementation. */
export interface Method<Params extends readonly unknown[] = readonly unknown[]> {
  readonly name: string;
  readonly summary: string;
  /** Params in order; optional ones come last. */
  readonly params: readonly MethodParam[];
  /** The schema that every result satisfies. */
  readonly result: { readonly name: string; readonly schema: z.ZodType };
  readonly transport?: 'websocket';
  /** Set if the method creates something whose id is only in the response. As a notification it does nothing. */
  readonly opens?: true;
  /** A call and its result, for the OpenRPC document. */
  readonly example?: { readonly params: readonly unknown[]; readonly result: unknown };
  /** Runs the call. The params are already checked and completed with defaults. */
  run(params: Params, context: CallContext): Promise<unknown>;
  /** Replaces `run`: takes unchecked params and returns the JSON text of the result. */
  answer?(params: unknown, context: CallContext): Promise<string>;
}

export interface MethodParam {
  readonly name: string;
  readonly description?: string;
  readonly schema: z.ZodType;
  readonly required: boolean;
}

export type Methods = ReadonlyMap<string, Method>;

/** Maximum length of an explanation, because a schema's message can quote the caller. */
const MAX_EXPLANATION = 200;

/** Checks the params of a call and completes defaults. @throws RpcError -32602 that names the first wrong param. */
export function checkParams(method: Method, given: unknown): readonly unknown[] {
  // Some clients send null for no params.
  const values: unknown = given ?? [];
  if (!Array.isArray(values)) {
    throw new RpcError('INVALID_PARAMS', 'params must be an array; named params are not supported');
  }
  if (values.length > method.params.length) throw new RpcError('INVALID_PARAMS', tooMany(method));
  return method.params.map((param, index) => checkParam(param, index, values[index]));
}

function checkParam(param: MethodParam, index: number, given: unknown): unknown {
  // Clients that send params by position write null for an optional one.
  const value = given === null && !param.required ? undefined : given;
  if (value === undefined && param.required) {
    throw new RpcError('INVALID_PARAMS', `params[${index}] (${param.name}) is missing`);
  }
  const parsed = param.schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new RpcError('INVALID_PARAMS', explain(index, param, parsed.error), { cause: parsed.error });
}

function explain(index: number, param: MethodParam, { issues: [issue] }: z.ZodError): string {
  const path = z.core.toDotPath(['params', index, ...(issue?.path ?? [])]);
  const text = `${path} (${param.name}): ${issue?.message ?? 'is invalid'}`;
  return text.length > MAX_EXPLANATION ? `${text.slice(0, MAX_EXPLANATION)}…` : text;
}

function tooMany(method: Method): string {
  const most = method.params.length;
  if (most === 0) return `${method.name} takes no params`;
  return `${method.name} takes at most ${most} ${most === 1 ? 'param' : 'params'}`;
}
