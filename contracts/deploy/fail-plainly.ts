import { BaseError, ContractFunctionRevertedError } from 'viem';

/** Ends a command that failed: what went wrong in words, without the stack, which says nothing to an operator; exit code 1. */
export function failPlainly(error: unknown): void {
  process.stderr.write(`${wordsOf(error)}\n`);
  process.exitCode = 1;
}

function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join('\n');
  if (error instanceof BaseError) {
    // viem's short message leaves out the arguments of the request, and the node's address, which can hold a key.
    const revert = error.walk((cause) => cause instanceof ContractFunctionRevertedError);
    const named = revert instanceof BaseError ? (revert.metaMessages ?? []) : [error.details];
    return [error.shortMessage, ...named].filter(Boolean).join('\n');
  }
  return error instanceof Error ? error.message : String(error);
}
