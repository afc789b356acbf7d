import { ChainError, classifyRpcError, NodeUnavailableError, SignerError } from '@causeway/chain';
import { FenceLostError } from '@causeway/store';
import { BaseError } from 'viem';

/**
 * Processes all items concurrently. Slow or unavailable nodes of one chain do not delay the other chain.
 *
 * @throws the failures after all items have ended; several as an AggregateError.
 */
export async function forEachParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const results = await Promise.allSettled(items.map(work));
  throwFailures(results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : [])));
}

/**
 * Processes the items one after the other. A failed item does not stop the others. After a systemic failure the
 * remaining items wait for the next run.
 *
 * @throws the failures after all items were tried; several as an AggregateError.
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
 * Processes all items in one step. If that fails, it tries each half, and so on, so that one operation cannot block the
 * rest. After a systemic failure it stops.
 *
 * @throws the failures after all other items were tried; several as an AggregateError.
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

/** A lost lease, an unavailable node or an unavailable signer would fail every other item too. */
function isSystemic(error: unknown): boolean {
  if (error instanceof FenceLostError) return true;
  if (error instanceof SignerError) return error.retryable;
  if (!(error instanceof ChainError || error instanceof BaseError)) return false;
  return classifyRpcError(error) instanceof NodeUnavailableError;
}

/** A lost lease takes precedence, since the scheduler must see it. */
function throwFailures(failures: readonly unknown[]): void {
  const lost = failures.find((failure) => failure instanceof FenceLostError);
  if (lost !== undefined) throw lost;
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} failures`);
}
