import { RPC_ERRORS } from '../../src/jsonrpc/errors.js';
import type { Expectation } from './expected-answers.js';

const CODES: ReadonlySet<unknown> = new Set(Object.values(RPC_ERRORS).map(({ code }) => code));
const INTERNAL_ERROR = -32603;

/**
 * Says what is wrong with an answer, or null when nothing is.
 *
 * @param text the answer, or null when there was none.
 * @param expected what the message asked for.
 */
export function complaintAbout(text: string | null, expected: Expectation): string | null {
  if (expected.kind === 'nothing') return text === null ? null : `answered a notification: ${text}`;
  if (text === null) return 'was not answered';
  const answer: unknown = JSON.parse(text);
  if (expected.kind === 'single') return aboutOne(answer, expected.id);
  if (expected.kind === 'refusal') {
    return codeOf(answer) === expected.code ? aboutOne(answer, null) : `not ${expected.code}: ${text}`;
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
  // What cannot be echoed exactly may be refused with null.
  const exact = typeof id !== 'number' || Number.isSafeInteger(id);
  if (answered !== id && (exact || answered !== null)) return `not the id ${String(id)}: ${shown}`;
  if (fields.includes('result') === fields.includes('error')) return `not a result or an error: ${shown}`;
  if (!fields.includes('error')) return null;
  const code = codeOf(answer);
  if (!CODES.has(code)) return `a code that is not in the table: ${shown}`;
  if (code === INTERNAL_ERROR) return `an internal error: ${shown}`;
  const { message } = error as { message: unknown };
  return typeof message === 'string' && message !== '' ? null : `no message: ${shown}`;
}

function codeOf(answer: unknown): unknown {
  return (answer as { error?: { code?: unknown } }).error?.code;
}
