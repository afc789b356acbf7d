import { BaseError, ContractFunctionRevertedError } from 'viem';

/** Describes an error to an operator: a revert with its decoded reason, and never the URL of a node. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeError).join('\n');
  if (error instanceof BaseError) {
    // viem's short message omits the request and the node's URL, which can hold an API key.
    const revert = error.walk((cause) => cause instanceof ContractFunctionRevertedError);
    const named = revert instanceof BaseError ? (revert.metaMessages ?? []) : [error.details];
    return [error.shortMessage, ...named].filter(Boolean).join('\n');
  }
  return error instanceof Error ? error.message : String(error);
}
