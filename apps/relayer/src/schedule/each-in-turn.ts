import { ChainError, classifyRpcError, NodeUnavailableError } from '@causeway/chain';
import { FenceLostError } from '@causeway/store';
import { BaseError } from 'viem';
import { throwFailures } from './throw-failures.js';

/**
 * Does the work for one after the other. One that fails does not hold up the others: what is owed to many must not wait
 * for a single operation. When a node does not answer, or the lease is lost, the rest waits for the next turn, since the
 * same would befall them all.
 *
 * @throws what failed, when all had their turn; several together as an AggregateError.
 */
export async function eachInTurn<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) {
    try {
      await work(item);
    } catch (error) {
      failures.push(error);
      if (befallsAll(error)) break;
    }
  }
  throwFailures(failures);
}

function befallsAll(error: unknown): boolean {
  if (error instanceof FenceLostError) return true;
  if (!(error instanceof ChainError || error instanceof BaseError)) return false;
  return classifyRpcError(error) instanceof NodeUnavailableError;
}
