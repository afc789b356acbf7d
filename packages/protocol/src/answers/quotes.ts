import type { Asset, Direction } from '../assets.js';
import type { Warning } from './warnings.js';

/**
 * Why an amount cannot be delivered now: a chain or the database is unavailable or the chain makes no blocks, so the
 * last known values cannot be relied on; deliveries are paused; no relayer is running; the outflow limit is exhausted;
 * or the destination holds too little collateral or float.
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

/** Whether an amount could be delivered now, after all pending operations. */
export interface Deliverability {
  /** False if the delivery would be delayed. The amount is not lost. */
  readonly deliverable: boolean;
  /** Null when `deliverable` is true. */
  readonly undeliverableReason: UndeliverableReason | null;
  /** ISO 8601 in UTC; null when deliverable now or when the time is unknown. */
  readonly deliverableAt: string | null;
}

/** The body of `GET /bridge/fee-quote`: the terms of a future transfer. Amounts in atomic units. */
export interface FeeQuoteResponse extends Deliverability {
  readonly token: Asset;
  readonly direction: Direction;
  /** Paid by the sender. */
  readonly inputAmount: string;
  readonly inputAmountFormatted: string;
  readonly feeAmount: string;
  readonly feeAmountFormatted: string;
  /** Fee rate in hundredths of a percent; 0 for deposits. */
  readonly feeBps: number;
  /** Delivered to the recipient. */
  readonly outputAmount: string;
  readonly outputAmountFormatted: string;
  /** Minimum amount of one operation. */
  readonly minimumAmount: string;
  /** Maximum amount of one operation. */
  readonly maximumAmount: string;
  /** Maximum amount that could be delivered now. */
  readonly availableAmount: string;
  readonly availableAmountFormatted: string;
  /** True while no operation of this direction can begin. */
  readonly paused: boolean;
  /** Null while the direction is paused or the delivery time is unknown. */
  readonly estimatedSeconds: number | null;
  /** Absent if the request has neither sender nor recipient. */
  readonly warnings?: readonly Warning[] | undefined;
}

/** The limits of an asset in one direction. Amounts in atomic units. */
export interface AssetLimits {
  readonly token: Asset;
  /** Fee rate in hundredths of a percent. */
  readonly feeBps: number;
  readonly minimumFee: string;
  readonly minimumFeeFormatted: string;
  /** Minimum amount of one operation. */
  readonly minimumAmount: string;
  readonly minimumAmountFormatted: string;
  /** Maximum amount of one operation. */
  readonly maximumAmount: string;
  readonly maximumAmountFormatted: string;
  /** False while no operation of this asset can begin; operations that have begun are still delivered. */
  readonly mayBegin: boolean;
  /** Maximum amount that could be delivered now; larger deliveries are delayed. */
  readonly availableAmount: string;
  readonly availableAmountFormatted: string;
  /** Remaining outflow limit of the destination contract. */
  readonly outflowRoom: string;
  readonly outflowRoomFormatted: string;
}

/** The limits of one direction. */
export interface DirectionLimits {
  /** True while no operation of this direction can begin. */
  readonly paused: boolean;
  /** True while deliveries of this direction are paused. New operations are delayed. */
  readonly deliveriesPaused: boolean;
  /** Why deliveries of this direction do not run; null while they run. */
  readonly undeliverableReason: UndeliverableReason | null;
  /** Confirmations that make an origin transaction final. */
  readonly requiredConfirmations: number;
  /** Security hold after finality, in seconds. */
  readonly holdSeconds: number;
  /** Seconds for a deliverable amount. Null while the direction or its deliveries are paused. */
  readonly estimatedSeconds: number | null;
  /** One entry per asset. */
  readonly assets: readonly AssetLimits[];
}

/** The body of `GET /bridge/limits`. */
export type LimitsResponse = Readonly<Record<Direction, DirectionLimits>>;
