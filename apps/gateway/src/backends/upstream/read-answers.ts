import { z } from 'zod';
import { hash } from '../../schemas/primitives.js';
import type { RpcHeader, SyncState } from '../backend.js';
import { NodeFailure, NodeRpcError } from './node-errors.js';

/** The outcome of one call: a wrapped result, or an Error. */
export type NodeAnswer = { readonly result: unknown } | Error;

/**
 * Reads a node's answers to calls with ids from `first` on. An answer counts only if it is JSON-RPC 2.0 (sections 5 and
 * 6): its id was requested and occurs once, and it has either a result or an error.
 *
 * @returns one answer per call, in order. A call that the node omitted gets a NodeFailure.
 * @throws NodeFailure `malformed` when no part can be trusted; NodeRpcError when the node refused the whole batch.
 */
export function readAnswers(text: string, first: number, count: number): readonly NodeAnswer[] {
  const body = parse(text);
  if (count > 1 && !Array.isArray(body)) throw readBatchError(body);
  if (count === 1 && Array.isArray(body)) throw new NodeFailure('malformed', 'answered one call with a batch');
  const answers = Array.from<NodeAnswer | undefined>({ length: count });
  for (const one of count > 1 ? (body as unknown[]) : [body]) {
    const { id, answer } = readAnswer(one);
    const index = id - first;
    if (!(index >= 0 && index < count) || answers[index] !== undefined) {
      throw new NodeFailure('malformed', 'answered with an unknown id');
    }
    answers[index] = answer;
  }
  return answers.map((answer) => answer ?? new NodeFailure('malformed', 'left a call of a batch out'));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new NodeFailure('malformed', 'answered with something other than JSON', { cause: error });
  }
}

/** A node that refuses a whole batch answers with a single error without an id. */
function readBatchError(body: unknown): Error {
  return (
    readError(getField(body, 'error')) ??
    new NodeFailure('malformed', 'answered a batch with neither a batch nor an error')
  );
}

function readAnswer(body: unknown): { readonly id: number; readonly answer: NodeAnswer } {
  if (!isRecord(body) || body['jsonrpc'] !== '2.0' || !Number.isSafeInteger(body['id'])) {
    throw new NodeFailure('malformed', 'answered with something other than JSON-RPC');
  }
  const { result, error } = body;
  const id = body['id'] as number;
  const failed = error !== undefined && error !== null;
  if (!failed && result !== undefined) return { id, answer: { result } };
  const rpcError = failed && (result ?? null) === null ? readError(error) : undefined;
  if (rpcError !== undefined) return { id, answer: rpcError };
  throw new NodeFailure('malformed', 'answered with neither a result nor an error');
}

function readError(error: unknown): NodeRpcError | undefined {
  if (!isRecord(error)) return undefined;
  const { code, message, data } = error;
  if (typeof code !== 'number' || !Number.isInteger(code) || typeof message !== 'string') return undefined;
  return new NodeRpcError(code, message, data);
}

/** A quantity without leading zeros, below 2^53. */
const blockQuantity = z.string().regex(/^0x(0|[1-9a-fA-F][0-9a-fA-F]{0,12})$/);
const header = z.looseObject({ hash, parentHash: hash, number: blockQuantity, timestamp: blockQuantity });
/** Fields of a block that a header does not have. */
const BODY_FIELDS = new Set(['transactions', 'uncles', 'withdrawals', 'size', 'totalDifficulty']);

/** The header of a block from a node's answer. Null for a null result and for anything that is not a block. */
export function readHeader(block: unknown): RpcHeader | null {
  const { success, data } = header.safeParse(block);
  if (!success) return null;
  return Object.fromEntries(Object.entries(data).filter(([name]) => !BODY_FIELDS.has(name))) as RpcHeader;
}

const height = z.string().regex(/^0x[0-9a-fA-F]{1,16}$/);
const syncProgress = z.object({ startingBlock: height.catch('0x0'), currentBlock: height, highestBlock: height });

/** The answer of eth_syncing. Anything but an object with two heights counts as not syncing. */
export function readSyncState(answer: unknown): SyncState {
  const { success, data } = syncProgress.safeParse(answer);
  return success && (data as SyncState);
}

export function getField(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

/** Whether an answer is an object with this hash. */
export function hasHash(value: unknown, field: string, wanted: unknown): boolean {
  const found = getField(value, field);
  return typeof found === 'string' && typeof wanted === 'string' && found.toLowerCase() === wanted.toLowerCase();
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
