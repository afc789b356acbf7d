import { KEEPS_REVERTING } from '@causeway/store';
import type { DelayReason } from './delay-reason.js';

const FIRST_PAUSE_MS = 60_000;
/** So many transactions of one operation are paid for in vain; more only when an operator says so. */
const MOST_REVERTS = 5;

/**
 * What follows a delivery that was mined and reverted, which cost the relayer its gas: a pause of one minute that grows
 * fourfold each time, and after the fifth a stop until an operator has looked. The claim stays what it is.
 *
 * @param reverts how many deliveries of the operation have reverted, this one included.
 */
export function afterRevert(
  nowMs: number,
  reverts: number,
): { readonly reason: DelayReason; readonly nextAttemptAt: Date | null } {
  if (reverts >= MOST_REVERTS) return { reason: KEEPS_REVERTING, nextAttemptAt: null };
  const pauseMs = FIRST_PAUSE_MS * 4 ** Math.max(0, reverts - 1);
  return { reason: 'DESTINATION_REVERTED', nextAttemptAt: new Date(nowMs + pauseMs) };
}
