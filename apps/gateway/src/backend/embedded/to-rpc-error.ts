import { PartnerChainError, type PartnerChainErrorCode } from '@causeway/partner-chain';
import { RpcError, type RpcErrorName } from '../../json-rpc/rpc-error.js';

const KINDS = {
  TRANSACTION_REJECTED: 'TRANSACTION_REJECTED',
  EXECUTION_REVERTED: 'EXECUTION_REVERTED',
  // Dust in a signed transaction is TRANSACTION_REJECTED already; this is dust in a call.
  DUST: 'INVALID_PARAMS',
  INVALID_PARAMS: 'INVALID_PARAMS',
  NOT_FOUND: 'RESOURCE_NOT_FOUND',
  UNAVAILABLE: 'RESOURCE_UNAVAILABLE',
} as const satisfies Record<PartnerChainErrorCode, RpcErrorName>;

/** What a caller is told of an error of the chain (spec "Errors"); what is no error of the chain stays as it is. */
export function toRpcError(error: unknown): unknown {
  if (!(error instanceof PartnerChainError)) return error;
  return new RpcError(KINDS[error.code], error.message, {
    cause: error,
    ...(error.data === undefined ? {} : { data: error.data }),
  });
}
