import type { DelayReason } from '../operations.js';

/** Delays that do not end without a person's action, and the alert of each. */
export const ENDLESS_DELAYS = {
  FLOAT_SHORT: 'DeliveryWaits',
  PAUSED: 'DeliveryWaits',
  FEES_ABOVE_CAP: 'DeliveryWaits',
  NODE_REFUSED: 'DeliveryWaits',
  NONCE_TAKEN: 'DeliveryWaits',
  COLLATERAL_SHORT: 'DeliveryWaits',
  ATTESTERS_UNAVAILABLE: 'DeliveryWaits',
  ATTESTERS_DISAGREE: 'DeliveryWaits',
  BACKING_SHORT: 'MintNotBacked',
  NUMBER_USED_UP: 'NumberUsedUp',
} as const satisfies Readonly<Partial<Record<DelayReason, string>>>;

/**
 * Describes a retry of a delayed operation. A retry ends the pause before the next attempt but does not remove the
 * cause of the delay. Pure.
 */
export function describeRetry(reason: DelayReason | null): string {
  const ended = 'The pause before the next attempt ends, and the relayer tries it now.';
  if (reason === null) return ended;
  return `${ended} It waits as ${reason}: it is delivered only once that cause is gone, and else it waits again.`;
}
