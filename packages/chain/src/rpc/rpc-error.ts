import { BaseError, RpcRequestError } from 'viem';
import { ChainError, NodeRefusedError, NodeUnavailableError } from './chain-error.js';

/**
 * Wording of nodes and providers that limit requests. The code -32005 alone does not show it: besu uses it for a gas
 * limit that is too high.
 */
const RATE_LIMITED = /rate.?limit|too many requests|request limit|limit exceeded|capacity|quota|throttl/i;
/** "Resource unavailable" (EIP-1474) and "Internal error" (JSON-RPC 2.0): the node did not judge the request. */
const NOT_JUDGED = new Set([-32002, -32603]);
/** Wording that judges the request, whatever the code: nodes also send these as internal errors. */
const JUDGED = /revert|nonce|underpriced|insufficient|already|known|signature|gas|fee|invalid|exists|replace/i;

/**
 * Sends a request to a node and classifies its failure.
 *
 * @throws NodeUnavailableError, NodeRefusedError
 */
export async function askNode<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw classifyRpcError(error);
  }
}

/**
 * Distinguishes a node that did not answer from a node that answered with an error. The message never contains the URL
 * of the node, since providers put API keys into it.
 *
 * @throws the error itself when it does not come from a node: a bug of ours is not a fault of the node.
 */
export function classifyRpcError(error: unknown): ChainError {
  if (error instanceof ChainError) return error;
  if (!(error instanceof BaseError)) throw error;
  const response = error.walk((cause) => cause instanceof RpcRequestError);
  if (!(response instanceof RpcRequestError)) return new NodeUnavailableError(error.shortMessage, { cause: error });
  const { code, details, data } = response;
  if (RATE_LIMITED.test(details) || (NOT_JUDGED.has(code) && !JUDGED.test(details) && data === undefined)) {
    return new NodeUnavailableError(details, { cause: error });
  }
  return new NodeRefusedError(code, details, data, { cause: error });
}
