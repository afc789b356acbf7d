import { NodeFailure } from './node-failure.js';
import { NodeRefusal } from './node-refusal.js';
import { readPlainAnswers } from './read-plain-answers.js';

/** What a node answered to one call; NodeRefusal is a class of its own, so that no result can be taken for one. */
export type NodeAnswer = { readonly result: unknown } | NodeRefusal;

/**
 * Reads what a node answered to calls with ids from `first` on.
 *
 * An answer counts only when it is JSON-RPC 2.0 (sections 5 and 6): the id is one that was asked, once, and there is either a result or an
 * error.
 *
 * @param count how many calls there were; more than one were sent as an array, and an array must come back.
 * @returns the answers, each at the place of its call; nothing there for a call that the node left out.
 * @throws NodeFailure `malformed` when the whole cannot be trusted; NodeRefusal when the node refused a batch as such.
 */
export function readAnswers(text: string, first: number, count: number): readonly (NodeAnswer | undefined)[] {
  const batch = count > 1;
  const plain = batch ? readPlainAnswers(text, first, count) : null;
  if (plain !== null) return plain;
  const body = parse(text);
  if (batch && !Array.isArray(body)) throw refusalOfBatch(body);
  if (!batch && Array.isArray(body)) throw new NodeFailure('malformed', 'answered one call with a batch');
  const answers: (NodeAnswer | undefined)[] = [];
  for (const one of batch ? (body as unknown[]) : [body]) {
    const { id, answer } = readAnswer(one);
    const index = id - first;
    if (!(index >= 0 && index < count) || answers[index] !== undefined) {
      throw new NodeFailure('malformed', 'answered with an id that was not asked');
    }
    answers[index] = answer;
  }
  return answers;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new NodeFailure('malformed', 'answered what is not JSON', { cause: error });
  }
}

/** A batch that is refused as a whole is answered by a single error without an id. */
function refusalOfBatch(body: unknown): Error {
  const error = isRecord(body) ? readError(body['error']) : undefined;
  return error ?? new NodeFailure('malformed', 'answered a batch with something else');
}

function readAnswer(body: unknown): { readonly id: number; readonly answer: NodeAnswer } {
  if (!isRecord(body) || body['jsonrpc'] !== '2.0' || !Number.isSafeInteger(body['id'])) {
    throw new NodeFailure('malformed', 'answered what is not JSON-RPC');
  }
  const { result, error } = body;
  const id = body['id'] as number;
  const failed = error !== undefined && error !== null;
  if (!failed && result !== undefined) return { id, answer: { result } };
  const refusal = failed && (result ?? null) === null ? readError(error) : undefined;
  if (refusal !== undefined) return { id, answer: refusal };
  throw new NodeFailure('malformed', 'answered with neither a result nor an error');
}

function readError(error: unknown): NodeRefusal | undefined {
  if (!isRecord(error)) return undefined;
  const { code, message, data } = error;
  if (typeof code !== 'number' || !Number.isInteger(code) || typeof message !== 'string') return undefined;
  return new NodeRefusal(code, message, data);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
