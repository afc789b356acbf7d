import { METHODS_NOT_OFFERED } from './methods-not-offered.js';
import { RpcError } from './errors.js';

/** Longest name that is repeated to the caller. */
const NAME_LENGTH = 64;

/** Why a method that is not offered cannot be called: -32004 if Ethereum knows it, else -32601 (spec "Errors"). */
export function missingMethod(name: string): RpcError {
  const shown = name.length > NAME_LENGTH ? `${name.slice(0, NAME_LENGTH)}…` : name;
  return METHODS_NOT_OFFERED.has(name)
    ? new RpcError('METHOD_NOT_SUPPORTED', `${shown} is not offered here`)
    : new RpcError('METHOD_NOT_FOUND', `${shown} does not exist`);
}
