import { BaseError } from 'viem';

/** Ends a command that failed: what went wrong in words, without the stack, which says nothing to an operator; exit code 1. */
export function failPlainly(error: unknown): void {
  process.stderr.write(`${wordsOf(error)}\n`);
  process.exitCode = 1;
}

function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join('\n');
  // viem's short message leaves out the arguments of the request, and the node's address, which can hold a key.
  if (error instanceof BaseError) return [error.shortMessage, error.details].filter(Boolean).join('\n');
  return error instanceof Error ? error.message : String(error);
}
