import type { Asset, Direction } from '../assets.js';
import type { Warning } from './warnings.js';

/**
 * Why an amount cannot be delivered now: a chain does not answer or makes no blocks, or the database does not answer,
 * so the last known values promise nothing; deliveries are paused, no relayer works, the outflow limit has no room for
 * it, or the destination holds too little collateral or float.
 */
export const UNDELIVERABLE_REASONS = [
  'CHAIN_AWAY',
  'DATABASE_AWAY',
  'PAUSED',
  'RELAYER_AWAY',
  'OUTFLOW_LIMIT',
  'COLLATERAL_SHORT',
  'FLOAT_SHORT',
] as const;
/** One of the reasons. */
export type UndeliverableReason = (typeof UNDELIVERABLE_REASONS)[number];

/** Whether an amount could be delivered now, after all operations that wait already. */
export interface Deliverability {
  /** False when it would be delayed; it is not lost. */
  readonly deliverable: boolean;
  /** Why not; null when it can be. */
  readonly undeliverableReason: UndeliverableReason | null;
  /** ISO 8601 in UTC; null when it can be delivered now, or when the time is unknown. */
  readonly deliverableAt: string | null;
}

/** The body of `GET /bridge/fee-quote`: the terms of a transfer that has not begun. Amounts in atomic units. */
export interface FeeQuoteResponse extends Deliverability {
  readonly token: Asset;
  readonly direction: Direction;
  /** Paid by the sender. */
  readonly inputAmount: string;
  readonly inputAmountFormatted: string;
  readonly feeAmount: string;
  readonly feeAmountFormatted: string;
  /** The rate of the fee in hundredths of a percent; 0 for deposits. */
  readonly feeBps: number;
  /** Delivered to the recipient. */
  readonly outputAmount: string;
  readonly outputAmountFormatted: string;
  /** The lowest amount of one operation. */
  readonly minimumAmount: string;
  /** The highest amount of one operation. */
  readonly maximumAmount: string;
  /** The highest amount that could be delivered now. */
  readonly availableAmount: string;
  readonly availableAmountFormatted: string;
  /** Whether no operation of this direction can begin now. */
  readonly paused: boolean;
  /** Null while the direction is paused, and when the time of the delivery is unknown. */
  readonly estimatedSeconds: number | null;
  /** Absent when neither sender nor recipient was given. */
  readonly warnings?: readonly Warning[] | undefined;
}

/** The limits of an asset in one direction. Amounts in atomic units. */
export interface AssetLimits {
  readonly token: Asset;
  /** The rate of the fee in hundredths of a percent. */
  readonly feeBps: number;
  readonly minimumFee: string;
  readonly minimumFeeFormatted: string;
  /** The lowest amount of one operation. */
  readonly minimumAmount: string;
  readonly minimumAmountFormatted: string;
  /** The highest amount of one operation. */
  readonly maximumAmount: string;
  readonly maximumAmountFormatted: string;
  /** False while operations of this asset may not begin; those that have begun are delivered. */
  readonly mayBegin: boolean;
  /** The highest amount that could be delivered now; above it, deliveries are delayed. */
  readonly availableAmount: string;
  readonly availableAmountFormatted: string;
  /** The part of it that the outflow limit of the destination contract leaves. */
  readonly outflowRoom: string;
  readonly outflowRoomFormatted: string;
}

/** The limits of one direction. */
export interface DirectionLimits {
  /** Whether no operation of this direction can begin now. */
  readonly paused: boolean;
  /** Whether nothing of this direction is delivered now. An operation that begins is delayed. */
  readonly deliveriesPaused: boolean;
  /** Why nothing of this direction is delivered now; null while deliveries run. */
  readonly undeliverableReason: UndeliverableReason | null;
  /** Confirmations after which an origin is final. */
  readonly requiredConfirmations: number;
  /** Security hold after them. */
  readonly holdSeconds: number;
  /** Of an amount that can be delivered. Null while beginnings or deliveries are paused. */
  readonly estimatedSeconds: number | null;
  /** One for each asset. */
  readonly assets: readonly AssetLimits[];
}

/** The body of `GET /bridge/limits`. */
export type LimitsResponse = Readonly<Record<Direction, DirectionLimits>>;
