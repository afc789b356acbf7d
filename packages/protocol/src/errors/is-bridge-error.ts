import type { BridgeError } from './bridge-error.js';
import { ERROR_CODES } from './error-codes.js';

/**
 * Whether something thrown is a {@link BridgeError}. It goes by name and code, not by `instanceof`, so that an error of
 * a second installed copy of this package counts too.
 *
 * @example
 * ```ts
 * if (isBridgeError(error)) reply.status(error.httpStatus).send(error.toBody());
 * ```
 */
export function isBridgeError(thrown: unknown): thrown is BridgeError {
  if (!(thrown instanceof Error) || thrown.name !== 'BridgeError' || !('code' in thrown)) return false;
  return typeof thrown.code === 'string' && Object.hasOwn(ERROR_CODES, thrown.code);
}
