import { RPC_ERRORS } from '../../src/jsonrpc/errors.js';

/** The response that a message must get. */
export type Expectation =
  | { readonly kind: 'nothing' }
  /** One error about the message as a whole. */
  | { readonly kind: 'refusal'; readonly code: number }
  | { readonly kind: 'single'; readonly id: unknown }
  /** One response per id, in this order. */
  | { readonly kind: 'batch'; readonly ids: readonly unknown[] };

const BATCH_LIMIT = 100;

/** Reads a message strictly by JSON-RPC 2.0, without using gateway code. */
export function expectedAnswers(text: string): Expectation {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return { kind: 'refusal', code: -32700 };
  }
  if (!Array.isArray(message)) {
    const [id] = listIds([message]);
    return id === undefined ? { kind: 'nothing' } : { kind: 'single', id };
  }
  // In a batch that is too long, each call is refused, and other entries are ignored.
  const isTooLong = message.length > BATCH_LIMIT;
  const ids = listIds(isTooLong ? message.filter(isCall) : message);
  if (message.length === 0 || (isTooLong && ids.length === 0)) return { kind: 'refusal', code: -32600 };
  return ids.length === 0 ? { kind: 'nothing' } : { kind: 'batch', ids };
}

function isCall(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { jsonrpc, method, id } = value as Record<string, unknown>;
  const hasId = id === null || ['undefined', 'string', 'number'].includes(typeof id);
  return jsonrpc === '2.0' && typeof method === 'string' && hasId;
}

/** The ids of the responses: null for an invalid call, none for a notification. */
function listIds(calls: readonly unknown[]): unknown[] {
  return calls.flatMap((call) => {
    if (typeof call !== 'object' || call === null || Array.isArray(call)) return [null];
    const { jsonrpc, method, id } = call as Record<string, unknown>;
    if (jsonrpc !== '2.0' || typeof method !== 'string') return [null];
    if (id === undefined) return [];
    return [typeof id === 'string' || typeof id === 'number' ? id : null];
  });
}

const CODES: ReadonlySet<unknown> = new Set(Object.values(RPC_ERRORS).map(({ code }) => code));
const INTERNAL_ERROR = -32603;

/**
 * Returns the problem of a response, or null.
 *
 * @param text the answer, or null when there was none.
 * @param expected the response that the message must get.
 */
export function complaintAbout(text: string | null, expected: Expectation): string | null {
  if (expected.kind === 'nothing') return text === null ? null : `answered a notification: ${text}`;
  if (text === null) return 'was not answered';
  const answer: unknown = JSON.parse(text);
  if (expected.kind === 'single') return aboutOne(answer, expected.id);
  if (expected.kind === 'refusal') {
    return getErrorCode(answer) === expected.code ? aboutOne(answer, null) : `not ${expected.code}: ${text}`;
  }
  if (!Array.isArray(answer)) return `answered a batch with ${text}`;
  if (answer.length !== expected.ids.length) return `${answer.length} answers to ${expected.ids.length} calls: ${text}`;
  return expected.ids.map((id, index) => aboutOne(answer[index], id)).find((complaint) => complaint !== null) ?? null;
}

function aboutOne(answer: unknown, id: unknown): string | null {
  const shown = JSON.stringify(answer);
  if (typeof answer !== 'object' || answer === null) return `no answer: ${shown}`;
  const fields = Object.keys(answer);
  const { jsonrpc, id: answered, error } = answer as Record<string, unknown>;
  if (jsonrpc !== '2.0' || fields.length !== 3) return `not JSON-RPC 2.0: ${shown}`;
  // An id that cannot be echoed exactly can be refused with null.
  const exact = typeof id !== 'number' || Number.isSafeInteger(id);
  if (answered !== id && (exact || answered !== null)) return `not the id ${String(id)}: ${shown}`;
  if (fields.includes('result') === fields.includes('error')) return `not a result or an error: ${shown}`;
  if (!fields.includes('error')) return null;
  const code = getErrorCode(answer);
  if (!CODES.has(code)) return `a code that is not in the table: ${shown}`;
  if (code === INTERNAL_ERROR) return `an internal error: ${shown}`;
  const { message } = error as { message: unknown };
  return typeof message === 'string' && message !== '' ? null : `no message: ${shown}`;
}

function getErrorCode(answer: unknown): unknown {
  return (answer as { error?: { code?: unknown } }).error?.code;
}
