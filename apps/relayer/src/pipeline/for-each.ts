import { ChainError, classifyRpcError, NodeUnavailableError, SignerError } from '@causeway/chain';
import { FenceLostError } from '@causeway/store';
import { BaseError } from 'viem';

/**
 * Processes all items concurrently. Unavailable or slow nodes of one chain do not delay the other chain.
 *
 * @throws the failures, when all items have ended; several as an AggregateError.
 */
export async function forEachParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const results = await Promise.allSettled(items.map(work));
  throwFailures(results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : [])));
}

/**
 * Processes the items one after the other. A failed item does not stop the others: one operation must not hold up the
 * rest. After a systemic failure the remaining items wait for the next run.
 *
 * @throws the failures, when all items had their turn; several as an AggregateError.
 */
export async function forEachSequential<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) {
    try {
      await work(item);
    } catch (error) {
      failures.push(error);
      if (isSystemic(error)) break;
    }
  }
  throwFailures(failures);
}

/**
 * Processes all items in one step. When that fails, both halves are tried, and so on: one operation must not hold up
 * the rest. After a systemic failure nothing more is tried.
 *
 * @throws the failures, when all other items had their turn; several as an AggregateError.
 */
export async function inOneStep<T>(items: readonly T[], work: (items: readonly T[]) => Promise<void>): Promise<void> {
  if (items.length === 0) return;
  try {
    await work(items);
  } catch (error) {
    if (items.length === 1 || isSystemic(error)) throw error;
    const half = items.length >> 1;
    await forEachSequential([items.slice(0, half), items.slice(half)], (part) => inOneStep(part, work));
  }
}

/** A lost lease, an unavailable node or an unavailable signer would fail every other item as well. */
function isSystemic(error: unknown): boolean {
  if (error instanceof FenceLostError) return true;
  if (error instanceof SignerError) return error.retryable;
  if (!(error instanceof ChainError || error instanceof BaseError)) return false;
  return classifyRpcError(error) instanceof NodeUnavailableError;
}

/** A lost lease is thrown before everything else: the scheduler must see it. */
function throwFailures(failures: readonly unknown[]): void {
  const lost = failures.find((failure) => failure instanceof FenceLostError);
  if (lost !== undefined) throw lost;
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} failures`);
}
