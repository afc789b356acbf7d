import {
  assetInfo,
  formatAmount,
  type Asset,
  type ClosedReason,
  type DirectionState,
  type UndeliverableReason,
} from '@causeway/protocol';
import { computeDeliverability, type DeliveryFunds } from '../quotes/deliverability.js';

/** The facts that decide whether transfers of an asset can begin in a direction. */
export interface DirectionFacts {
  readonly funds: DeliveryFunds;
  /** Minimum of one operation, in atomic units; 0 for none. */
  readonly minAmount: bigint;
  /** Whether the origin contract is paused, or accepts the asset no more. */
  readonly isPaused: boolean;
  /** When the pause ends; null if unknown. */
  readonly pausedUntil: string | null;
}

const REASONS: Readonly<Record<UndeliverableReason, ClosedReason>> = {
  CHAIN_AWAY: 'CHAIN_AWAY',
  DATABASE_AWAY: 'DATABASE_AWAY',
  PAUSED: 'DELIVERIES_PAUSED',
  RELAYER_AWAY: 'RELAYER_AWAY',
  OUTFLOW_LIMIT: 'LIMIT_REACHED',
  COLLATERAL_SHORT: 'FUNDS_SHORT',
  FLOAT_SHORT: 'FUNDS_SHORT',
};

/** Decides whether the smallest transfer could begin and be delivered now. Pure. */
export function toDirectionState(asset: Asset, facts: DirectionFacts, nowMs: number): DirectionState {
  const { funds, minAmount } = facts;
  const { granularity } = assetInfo(asset);
  const { reason, until } = findReason(facts, minAmount > granularity ? minAmount : granularity, nowMs);
  const remaining = funds.room > 0n ? funds.room : 0n;
  return {
    asset,
    direction: funds.direction,
    open: reason === null,
    reason,
    until,
    limit: {
      capacity: funds.capacity.toString(),
      capacityFormatted: formatAmount(asset, funds.capacity),
      remaining: remaining.toString(),
      remainingFormatted: formatAmount(asset, remaining),
    },
  };
}

function findReason(
  { funds, isPaused, pausedUntil }: DirectionFacts,
  least: bigint,
  nowMs: number,
): { readonly reason: ClosedReason | null; readonly until: string | null } {
  const { undeliverableReason, deliverableAt } = computeDeliverability(funds, least, nowMs);
  const reason = undeliverableReason === null ? null : REASONS[undeliverableReason];
  // Without the chain or the database, the other facts may have changed.
  if (reason === 'CHAIN_AWAY' || reason === 'DATABASE_AWAY') return { reason, until: null };
  if (funds.isHalted) return { reason: 'CHAIN_HALTED', until: null };
  return isPaused ? { reason: 'PAUSED', until: pausedUntil } : { reason, until: deliverableAt };
}
