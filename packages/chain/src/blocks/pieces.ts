import { AnswerTooLargeError, NodeRefusedError } from '../rpc/chain-error.js';

/** Receipts or transactions that are requested together, when a block is read piece by piece. */
export const PIECES = 16;

/** Whether a node answered that it does not serve so much, or sent more than we accept. Less of it may succeed. */
export function isTooMuch(error: unknown): boolean {
  return error instanceof NodeRefusedError || error instanceof AnswerTooLargeError;
}

/**
 * Requests many small things of one node, at most `size` at the same time. The size is halved whenever the node refuses
 * or the answers are too large, down to one.
 *
 * @throws the error of a single request that fails, and other failures of the node.
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
