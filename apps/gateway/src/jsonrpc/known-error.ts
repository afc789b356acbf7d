import { RpcError } from './errors.js';

/** Hears of every answer -32603, with its cause. */
export interface ErrorLog {
  error(details: object, message: string): void;
}

/**
 * What the caller is told of an exception; the unexpected is logged and not told.
 *
 * @param method what was carried out, as it is counted.
 */
export function knownError(error: unknown, method: string, logger: ErrorLog): RpcError {
  const known =
    error instanceof RpcError ? error : new RpcError('INTERNAL_ERROR', undefined, { cause: toError(error) });
  if (known.kind === 'INTERNAL_ERROR') {
    logger.error({ err: known.cause ?? known, method }, 'A call failed unexpectedly');
  }
  return known;
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error('A call failed with something that is no error', { cause: error });
}
