import { BaseError, RpcRequestError } from 'viem';
import { ChainError, NodeRefusedError, NodeUnavailableError } from './chain-error.js';

/** Words of nodes and providers that limit requests. Their code, -32005, means other things too (besu: gas limit). */
const LIMITED = /rate.?limit|too many requests|request limit|limit exceeded|capacity|quota|throttl/i;
/** JSON-RPC: "Resource unavailable" (EIP-1474) and "Internal error". The question itself was not judged. */
const NOT_JUDGED = new Set([-32002, -32603]);
/** Words that judge the question, whatever the code: nodes give these as internal errors as well. */
const JUDGED = /revert|nonce|underpriced|insufficient|already|known|signature|gas|fee|invalid|exists|replace/i;

/**
 * Says whether nobody answered, or a node answered with an error. Neither the address of the node nor a key in it gets
 * into the message.
 *
 * @throws the error itself when it does not come from asking a node: a fault of ours is not a fault of the node.
 */
export function classifyRpcError(error: unknown): ChainError {
  if (error instanceof ChainError) return error;
  if (!(error instanceof BaseError)) throw error;
  const answer = error.walk((cause) => cause instanceof RpcRequestError);
  if (!(answer instanceof RpcRequestError)) return new NodeUnavailableError(error.shortMessage, { cause: error });
  const { code, details, data } = answer;
  if (LIMITED.test(details) || (NOT_JUDGED.has(code) && !JUDGED.test(details) && data === undefined)) {
    return new NodeUnavailableError(details, { cause: error });
  }
  return new NodeRefusedError(code, details, data, { cause: error });
}
