import { AnswerTooLargeError, NodeRefusedError } from '../rpc/chain-error.js';

/** Receipts or transactions requested concurrently when a block is read in pieces. */
export const PIECES = 16;

/** Returns whether a node refused a request, or its answer exceeded our limit: a smaller request may succeed. */
export function isTooMuch(error: unknown): boolean {
  return error instanceof NodeRefusedError || error instanceof AnswerTooLargeError;
}

/**
 * Sends many small requests to one node, at most `size` concurrently. The size is halved, down to one, whenever the
 * node refuses or the answers are too large.
 *
 * @throws the error of a request that fails on its own, and other failures of the node.
 */
export async function inPieces<T, R>(
  items: readonly T[],
  request: (item: T) => Promise<R>,
  size: number = PIECES,
): Promise<R[]> {
  const results: R[] = [];
  let pieces = size;
  while (results.length < items.length) {
    try {
      results.push(...(await Promise.all(items.slice(results.length, results.length + pieces).map(request))));
    } catch (error) {
      if (pieces === 1 || !isTooMuch(error)) throw error;
      pieces = Math.ceil(pieces / 2);
    }
  }
  return results;
}
