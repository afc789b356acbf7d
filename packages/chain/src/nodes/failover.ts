import { NodeRefusedError, classifyRpcError } from '../rpc/chain-error.js';
import type { RpcRequest } from './chain-node.js';

/** A node that answers requests. */
interface Asked {
  request(request: RpcRequest): Promise<unknown>;
}

const REVERTED = /revert/i;

/**
 * Asks the nodes one after the other until one answers. A revert is an answer. Other errors are not: a node that lags
 * lacks a block, and one without old state or without a method refuses what the next one can do.
 *
 * @throws the error of the first node that refused, else of the last one.
 */
export async function askInOrder(nodes: readonly Asked[], request: RpcRequest): Promise<unknown> {
  const errors: unknown[] = [];
  for (const node of nodes) {
    try {
      return await node.request(request);
    } catch (error) {
      if (isRevert(error)) throw error;
      errors.push(error);
    }
  }
  throw mostTelling(errors);
}

/**
 * Sends a transaction to all nodes, and returns when the first one accepts it. A node that only pretends to accept it
 * suppresses nothing.
 *
 * @throws the error of a node that refused it, else of the last one, when none accepts it.
 */
export async function sendToAll(nodes: readonly Asked[], request: RpcRequest): Promise<unknown> {
  try {
    return await Promise.any(nodes.map((node) => node.request(request)));
  } catch (error) {
    throw error instanceof AggregateError ? mostTelling(error.errors) : error;
  }
}

function isRevert(error: unknown): boolean {
  const refusal = refusalOf(error);
  return refusal !== null && (refusal.rpcCode === 3 || REVERTED.test(refusal.reason));
}

/** A refusal says more than the failure of a node that is down. */
function mostTelling(errors: readonly unknown[]): unknown {
  return errors.find((error) => refusalOf(error) !== null) ?? errors.at(-1);
}

function refusalOf(error: unknown): NodeRefusedError | null {
  try {
    const classified = classifyRpcError(error);
    return classified instanceof NodeRefusedError ? classified : null;
  } catch {
    return null;
  }
}
