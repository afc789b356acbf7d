import { RpcError } from '../../jsonrpc/errors.js';
import type { HealthCheck } from './health-check.js';
import { isHeavy } from './node-client.js';
import { classifyNodeError, NodeFailure, NodeRpcError } from './node-errors.js';
import type { NodePool } from './node-pool.js';
import { getField, hasHash, readHeader } from './read-answers.js';

/** A read-only call, which can be repeated. */
interface ReadCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** After this many timeouts a heavy call itself counts as the cause, and no further node is asked. */
const MAX_HEAVY_TIMEOUTS = 2;

/** The outcome of one attempt. It is final if every node would answer the same. */
type Outcome =
  { readonly final: boolean; readonly result: unknown } | { readonly final: boolean; readonly error: RpcError };

/**
 * Asks the preferred node, then the others one by one, until an answer is final.
 *
 * Another node is asked when one fails to answer, is behind the known head, or cannot judge the call. With a single
 * node, that node is asked twice. An answer of the chain, such as a revert, is final.
 *
 * @param head the highest block number that clients have seen, or null.
 * @throws RpcError the best error of the nodes; RESOURCE_UNAVAILABLE when no node can be used.
 */
export async function callWithFailover(pool: NodePool, call: ReadCall, head: () => number | null): Promise<unknown> {
  const asked: HealthCheck[] = [];
  let best: Outcome | null = null;
  let timeouts = 0;
  for (let check = nextNode(pool, asked); check !== undefined; check = nextNode(pool, asked)) {
    // A retry is sent alone: a call in a batch can fail because of the other calls.
    const outcome = await attempt(check, call, asked.length > 0, head);
    asked.push(check);
    if (best === null || rank(outcome) >= rank(best)) best = outcome;
    if (isTimeout(outcome)) timeouts += 1;
    if (outcome.final || (isHeavy(call.method) && timeouts >= MAX_HEAVY_TIMEOUTS)) break;
  }
  if (best === null) throw unavailable(pool);
  if ('error' in best) throw best.error;
  return best.result;
}

/** Returns the best node not yet asked; with a single node, that node a second time. */
function nextNode(pool: NodePool, asked: readonly HealthCheck[]): HealthCheck | undefined {
  const usable = pool.usable();
  const fresh = usable.find((check) => !asked.includes(check));
  return fresh ?? (asked.length < 2 ? usable[0] : undefined);
}

async function attempt(
  check: HealthCheck,
  call: ReadCall,
  isAlone: boolean,
  head: () => number | null,
): Promise<Outcome> {
  const { method, params } = call;
  try {
    const result = await (isAlone ? check.node.callAlone(method, params) : check.node.call(method, params));
    if (!isPlausible(call, result)) throw new NodeFailure('malformed', `answered ${method} with an implausible result`);
    check.recordSuccess();
    return { final: !isBehind(call, result, head()), result };
  } catch (error) {
    return recordOutcome(error, check, method, isAlone || isHeavy(method));
  }
}

/** @param isAlone whether the call was alone in its request, so that the length of the response is its own. */
function recordOutcome(error: unknown, check: HealthCheck, method: string, isAlone: boolean): Outcome {
  if (error instanceof NodeRpcError) {
    check.recordSuccess();
    return classifyNodeError(method, error);
  }
  if (!(error instanceof NodeFailure)) throw error;
  if (error.kind === 'oversized') {
    // The call is the cause, not the node: every other node would return as much.
    check.recordSuccess();
    const problem = 'response size exceeded: request less';
    return { final: isAlone, error: new RpcError('RATE_LIMIT_EXCEEDED', problem) };
  }
  check.recordFailure(error);
  const detail = 'no node answered, try again';
  return { final: false, error: new RpcError('RESOURCE_UNAVAILABLE', detail, { cause: error }) };
}

/**
 * Ranks outcomes for the client: a final one, else a result from behind the head, else a node's error, else a failure.
 */
function rank(outcome: Outcome): number {
  if (outcome.final) return 3;
  if ('result' in outcome) return 2;
  return outcome.error.cause instanceof NodeFailure ? 0 : 1;
}

function isTimeout(outcome: Outcome): boolean {
  return 'error' in outcome && outcome.error.cause instanceof NodeFailure && outcome.error.cause.kind === 'timeout';
}

function unavailable(pool: NodePool): RpcError {
  const why = pool.syncing() === false ? 'no node can be reached' : 'the nodes are catching up';
  return new RpcError('RESOURCE_UNAVAILABLE', `${why}, try again later`);
}

/** Whether the node has not reached the head that clients have seen: the chain must not go back for a client. */
function isBehind({ method, params }: ReadCall, result: unknown, head: number | null): boolean {
  if (head === null) return false;
  if (method === 'eth_blockNumber') return Number(result) < head;
  if (method !== 'eth_getBlockByNumber') return false;
  const [block] = params;
  if (block === 'latest') return Number(readHeader(result)?.number ?? head) < head;
  return result === null && isBlockNumber(block) && Number(block) <= head;
}

type Plausibility = (result: unknown, params: readonly unknown[]) => boolean;

const isQuantity: Plausibility = (result) => typeof result === 'string' && /^0x[0-9a-fA-F]+$/.test(result);
const isBytes: Plausibility = (result) =>
  typeof result === 'string' && result.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(result);
/** Null, or an object with the requested hash. */
const isOfHash =
  (field: string): Plausibility =>
  (result, [hash]) =>
    result === null || hasHash(result, field, hash);

const PLAUSIBILITY: Readonly<Record<string, Plausibility>> = {
  eth_blockNumber: isQuantity,
  eth_gasPrice: isQuantity,
  eth_maxPriorityFeePerGas: isQuantity,
  eth_getBalance: isQuantity,
  eth_getTransactionCount: isQuantity,
  eth_estimateGas: isQuantity,
  eth_call: isBytes,
  eth_getCode: isBytes,
  eth_getStorageAt: isBytes,
  eth_getLogs: (result) => Array.isArray(result),
  eth_getBlockReceipts: (result) => result === null || Array.isArray(result),
  eth_getBlockByHash: isOfHash('hash'),
  eth_getTransactionByHash: isOfHash('hash'),
  eth_getTransactionReceipt: isOfHash('transactionHash'),
  eth_getBlockByNumber: (result, [block]) => {
    if (result === null || !isBlockNumber(block)) return typeof result === 'object' && !Array.isArray(result);
    const number = getField(result, 'number');
    return typeof number === 'string' && Number(number) === Number(block);
  },
};

/** Whether a result can belong to the call. The checks are cheap and do not detect plausible lies. */
function isPlausible({ method, params }: ReadCall, result: unknown): boolean {
  return PLAUSIBILITY[method]?.(result, params) ?? true;
}

function isBlockNumber(block: unknown): block is string {
  return typeof block === 'string' && block.startsWith('0x');
}
