import { throwFailures } from './throw-failures.js';

/**
 * Does the work for all at once: the nodes of one chain that are away, or slow, do not hold up the other chain.
 *
 * @throws what failed, when all have ended; several together as an AggregateError.
 */
export async function atOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const results = await Promise.allSettled(items.map(work));
  throwFailures(results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : [])));
}
