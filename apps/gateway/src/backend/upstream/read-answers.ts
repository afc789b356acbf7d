import { NodeFailure } from './node-failure.js';
import { NodeRefusal } from './node-refusal.js';

/** What a node answered to one call. */
export type NodeAnswer = { readonly result: unknown } | { readonly refusal: NodeRefusal };

/**
 * Reads what a node answered to calls with the given ids.
 *
 * An answer counts only when it is JSON-RPC 2.0 (sections 5 and 6): the id is one that was asked, once, and there is either a result or an
 * error. A call may be missing from the returned map: the node left it out.
 *
 * @param batch whether an array was sent, so that an array must come back.
 * @throws NodeFailure `malformed` when the whole cannot be trusted; NodeRefusal when the node refused a batch as such.
 */
export function readAnswers(text: string, ids: ReadonlySet<number>, batch: boolean): Map<number, NodeAnswer> {
  const body = parse(text);
  if (batch && !Array.isArray(body)) throw refusalOfBatch(body);
  if (!batch && Array.isArray(body)) throw new NodeFailure('malformed', 'answered one call with a batch');
  const answers = new Map<number, NodeAnswer>();
  for (const one of Array.isArray(body) ? (body as unknown[]) : [body]) {
    const [id, answer] = readAnswer(one);
    if (!ids.has(id) || answers.has(id)) throw new NodeFailure('malformed', 'answered with an id that was not asked');
    answers.set(id, answer);
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

function readAnswer(body: unknown): readonly [number, NodeAnswer] {
  if (!isRecord(body) || body['jsonrpc'] !== '2.0' || typeof body['id'] !== 'number') {
    throw new NodeFailure('malformed', 'answered what is not JSON-RPC');
  }
  const { id, result } = body;
  const refusal = readError(body['error']);
  if (refusal !== undefined && (result ?? null) === null) return [id, { refusal }];
  if (refusal === undefined && (body['error'] ?? null) === null && 'result' in body) return [id, { result }];
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
