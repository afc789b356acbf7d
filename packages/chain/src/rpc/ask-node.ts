import { classifyRpcError } from './classify-rpc-error.js';

/**
 * Asks a node, and says in our own words when that fails.
 *
 * @throws NodeUnavailableError, NodeRefusedError
 */
export async function askNode<T>(question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    throw classifyRpcError(error);
  }
}
