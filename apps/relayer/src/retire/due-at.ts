import type { WaitingWithdrawals } from '@causeway/store';

/**
 * When what some withdrawals handed in is to be retired, in milliseconds: when the oldest has waited long enough, and as
 * long after a retirement that failed, so that one that keeps failing costs its gas now and then only.
 */
export function dueAt(
  { oldestSettledAt, lastFailedAt }: Pick<WaitingWithdrawals, 'oldestSettledAt' | 'lastFailedAt'>,
  retireAfterMs: number,
): number {
  return Math.max(oldestSettledAt.getTime(), lastFailedAt?.getTime() ?? 0) + retireAfterMs;
}
