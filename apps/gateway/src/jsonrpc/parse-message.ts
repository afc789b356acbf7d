import { exactIds } from './exact-ids.js';
import type { PlainCall } from './plain-call.js';
import { RpcError } from './errors.js';

/** One call as it was written; its params are not checked yet. */
export interface Call {
  /** The id as JSON text, to be echoed exactly; null for a notification. */
  readonly id: string | null;
  readonly method: string;
  readonly params: unknown;
}

/** One object of a message: a call, or why it is none (-32600, answered with id null). */
export type Entry = Call | PlainCall | RpcError;

/** A message: an error stands for the whole of it and is answered with id null. */
export type ParsedMessage =
  | { readonly kind: 'invalid'; readonly error: RpcError }
  | { readonly kind: 'single'; readonly entry: Entry }
  | { readonly kind: 'batch'; readonly entries: readonly Entry[] };

/**
 * Reads a JSON-RPC 2.0 message (sections 4 and 6 of its specification; spec "Endpoints" for the size of a batch).
 *
 * @param batchLimit most calls of a batch.
 */
export function parseMessage(text: string, batchLimit: number): ParsedMessage {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { kind: 'invalid', error: new RpcError('PARSE_ERROR', 'the message is not valid JSON', { cause: error }) };
  }
  if (!Array.isArray(value)) {
    const exact = hasInexactId(value) ? exactIds(text) : [];
    return { kind: 'single', entry: toEntry(value, exact[0]) };
  }
  const items: readonly unknown[] = value;
  if (items.length === 0) return { kind: 'invalid', error: new RpcError('INVALID_REQUEST', 'the batch is empty') };
  if (items.length > batchLimit) {
    return {
      kind: 'invalid',
      error: new RpcError('INVALID_REQUEST', `the batch has ${items.length} calls, at most ${batchLimit} are allowed`),
    };
  }
  const exact = items.some(hasInexactId) ? exactIds(text) : [];
  return { kind: 'batch', entries: items.map((item, index) => toEntry(item, exact[index])) };
}

/** Whether the id of a call is a number that JavaScript may not write as it was read. */
function hasInexactId(value: unknown): boolean {
  return isObject(value) && typeof value['id'] === 'number' && !Number.isSafeInteger(value['id']);
}

/** @param exactId the digits of its id, when JavaScript cannot write them. */
function toEntry(value: unknown, exactId: string | null | undefined): Entry {
  if (!isObject(value)) return new RpcError('INVALID_REQUEST', 'a call must be an object');
  if (value['jsonrpc'] !== '2.0') return new RpcError('INVALID_REQUEST', 'jsonrpc must be "2.0"');
  const { id, method, params } = value;
  if (typeof method !== 'string') return new RpcError('INVALID_REQUEST', 'method must be a string');
  if (id === undefined) return { id: null, method, params };
  if (id === null || typeof id === 'string') return { id: JSON.stringify(id), method, params };
  if (typeof id !== 'number') return new RpcError('INVALID_REQUEST', 'id must be a string, a number or null');
  if (Number.isSafeInteger(id)) return { id: String(id), method, params };
  return { id: exactId ?? String(id), method, params };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
