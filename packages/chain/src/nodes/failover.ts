import { NodeRefusedError, NodeUnavailableError, classifyRpcError } from '../rpc/chain-error.js';
import type { RpcRequest } from './chain-node.js';

const REVERTED = /revert/i;

/**
 * Queries nodes in order until one answers. It moves on when a node fails or is slow; a slow answer still counts. A
 * revert is an answer. Other errors are not: a lagging node lacks a block, and a node without old state or without a
 * method refuses a request that the next one can serve.
 *
 * @param reviews functions to call periodically while answers are pending. Each queries the next node if one is slow.
 * @throws the error of the first node that refused, otherwise of the last node.
 */
export async function askInOrder<N extends { readonly isSlow: boolean }, T>(
  nodes: readonly N[],
  ask: (node: N) => Promise<T>,
  reviews: Set<() => void>,
): Promise<T> {
  if (nodes.length === 0) throw new NodeUnavailableError('no node is usable');
  const errors: unknown[] = [];
  let asked = 0;
  let review = () => {};
  const answer = new Promise<T>((resolve, reject) => {
    const askNext = () => {
      const node = nodes[asked];
      if (node === undefined) return;
      asked += 1;
      ask(node).then(resolve, (error: unknown) => {
        errors.push(error);
        if (isRevert(error)) reject(error);
        else if (errors.length === nodes.length) reject(mostTelling(errors));
        else if (reviews.has(review)) askNext();
      });
    };
    review = () => {
      if (nodes[asked - 1]?.isSlow === true) askNext();
    };
    reviews.add(review);
    askNext();
  });
  return answer.finally(() => reviews.delete(review));
}

/**
 * Sends a transaction to all nodes and returns when the first accepts it, so that a node that only pretends to accept
 * it cannot suppress it.
 *
 * @throws if no node accepts it: the error of a node that refused it, otherwise of the last node.
 */
export async function sendToAll(
  nodes: readonly { request(request: RpcRequest): Promise<unknown> }[],
  request: RpcRequest,
): Promise<unknown> {
  try {
    return await Promise.any(nodes.map((node) => node.request(request)));
  } catch (error) {
    throw error instanceof AggregateError ? mostTelling(error.errors) : error;
  }
}

function isRevert(error: unknown): boolean {
  const refusal = findRefusal(error);
  return refusal !== null && (refusal.rpcCode === 3 || REVERTED.test(refusal.reason));
}

/** Prefers a refusal, which says more than the failure of an unavailable node. */
function mostTelling(errors: readonly unknown[]): unknown {
  return errors.find((error) => findRefusal(error) !== null) ?? errors.at(-1);
}

function findRefusal(error: unknown): NodeRefusedError | null {
  try {
    const classified = classifyRpcError(error);
    return classified instanceof NodeRefusedError ? classified : null;
  } catch {
    return null;
  }
}
