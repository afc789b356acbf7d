import { RpcError } from './errors.js';

/** One call; its params are not checked yet. */
export interface Call {
  /** The id as JSON text, to be echoed exactly; null for a notification. */
  readonly id: string | null;
  readonly method: string;
  readonly params: unknown;
}

/** One entry of a message: a call, or the error -32600 that is answered with id null. */
export type Entry = Call | RpcError;

/** A single message has one entry, which can be an error for the whole message. */
interface ParsedMessage {
  readonly isBatch: boolean;
  readonly entries: readonly Entry[];
  /** The ids of a too long batch, as JSON text. Its single entry is the error for each of them. */
  readonly refusedIds: readonly string[];
}

/**
 * Maximum length, in characters, of a message whose unsafe ids are echoed exactly, because a JSON.parse reviver is
 * slow.
 */
const MAX_EXACT_ID_MESSAGE = 65_536;

/** Parses a JSON-RPC 2.0 message (sections 4 and 6 of its specification). */
export function parseMessage(text: string, batchLimit: number): ParsedMessage {
  const single = (entry: Entry) => ({ isBatch: false, entries: [entry], refusedIds: [] });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return single(new RpcError('PARSE_ERROR', 'the message is not valid JSON', { cause: error }));
  }
  if (!Array.isArray(value))
    return single(toEntry(readCall(value, hasUnsafeId(value) ? exactIds(text)?.[0] : undefined)));
  const items: readonly unknown[] = value;
  if (items.length === 0) return single(new RpcError('INVALID_REQUEST', 'the batch is empty'));
  const exact = items.some(hasUnsafeId) ? exactIds(text) : null;
  const calls = items.map((item, index) => readCall(item, exact?.[index]));
  if (items.length <= batchLimit) return { isBatch: true, entries: calls.map(toEntry), refusedIds: [] };
  const problem = `the batch has ${items.length} calls, at most ${batchLimit} are allowed`;
  // Entries that are not calls get no error each: a million of them would cost as much as calls.
  const refusedIds = calls.flatMap((call) => (typeof call === 'string' || call.id === null ? [] : [call.id]));
  return { ...single(new RpcError('INVALID_REQUEST', problem)), refusedIds };
}

/** Whether the id is a number that JavaScript can write differently than it was read. */
function hasUnsafeId(value: unknown): boolean {
  return isObject(value) && typeof value['id'] === 'number' && !Number.isSafeInteger(value['id']);
}

/**
 * The exact digits of numeric ids by call index, because numbers are exact only up to 2^53; null if the message is too
 * long or too deep.
 */
function exactIds(text: string): readonly (string | undefined)[] | null {
  if (text.length > MAX_EXACT_ID_MESSAGE) return null;
  const sources = new Map<unknown, string>();
  // The compiler does not know the third argument (ECMAScript 2026, JSON.parse with source text).
  function remember(this: unknown, key: string, value: unknown, context?: { readonly source?: string }): unknown {
    if (key === 'id' && typeof value === 'number' && context?.source !== undefined) sources.set(this, context.source);
    return value;
  }
  try {
    const calls: readonly unknown[] = [JSON.parse(text, remember)].flat();
    return calls.map((call) => sources.get(call));
  } catch {
    // The reviver recurses, so a message that JSON.parse can read can be too deep for it.
    return null;
  }
}

function toEntry(call: Call | string): Entry {
  return typeof call === 'string' ? new RpcError('INVALID_REQUEST', call) : call;
}

/**
 * Reads a call.
 *
 * @param exactId the digits of an id that JavaScript cannot represent.
 * @returns the problem if it is not a call.
 */
function readCall(value: unknown, exactId: string | undefined): Call | string {
  if (!isObject(value)) return 'a call must be an object';
  if (value['jsonrpc'] !== '2.0') return 'jsonrpc must be "2.0"';
  const { id, method, params } = value;
  if (typeof method !== 'string') return 'method must be a string';
  if (id === undefined) return { id: null, method, params };
  if (id === null || typeof id === 'string') return { id: JSON.stringify(id), method, params };
  if (typeof id !== 'number') return 'id must be a string, a number or null';
  if (Number.isSafeInteger(id)) return { id: String(id), method, params };
  if (exactId !== undefined) return { id: exactId, method, params };
  return `in a message of more than ${MAX_EXACT_ID_MESSAGE} characters the id must be a string or a safe integer`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
