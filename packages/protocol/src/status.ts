import type { Hex } from 'viem';
import type { DelayReason } from './delay-reason.js';

/** Statuses of an operation (specification, States and transitions). */
export const OPERATION_STATUSES = [
  'PENDING_ORIGIN_TX',
  'CONFIRMING',
  'AWAITING_RELAY',
  'PROCESSING_DESTINATION',
  'COMPLETED',
  'DELAYED',
  'FAILED',
  'EXPIRED',
] as const;

/** One of the statuses. */
export type OperationStatus = (typeof OPERATION_STATUSES)[number];

/** Whether a record with this status never changes again, so that clients can stop polling. */
export function isTerminal(status: OperationStatus): boolean {
  return status === 'COMPLETED' || status === 'FAILED' || status === 'EXPIRED';
}

/** The facts of an operation. Each stage of the pipeline writes its own fact. */
export interface OperationFacts {
  /** Seen in a block; for an intent, also bound to it. */
  readonly originTxHash: Hex | null;
  readonly finalizedAtMs: number | null;
  /** Signed and stored before its broadcast. */
  readonly destinationTxHash: Hex | null;
  /** Why the last attempt failed; null once the next one is signed. */
  readonly delayedReason: DelayReason | null;
  readonly settledAtMs: number | null;
  readonly failureReason: string | null;
  readonly expiredAtMs: number | null;
}

/** Computes the status that users see. No other code decides it. */
export function statusOf(facts: OperationFacts): OperationStatus {
  if (facts.failureReason !== null) return 'FAILED';
  if (facts.expiredAtMs !== null) return 'EXPIRED';
  if (facts.settledAtMs !== null) return 'COMPLETED';
  if (facts.delayedReason !== null) return 'DELAYED';
  if (facts.destinationTxHash !== null) return 'PROCESSING_DESTINATION';
  if (facts.finalizedAtMs !== null) return 'AWAITING_RELAY';
  if (facts.originTxHash !== null) return 'CONFIRMING';
  return 'PENDING_ORIGIN_TX';
}

/**
 * The next statuses of each status. `null` means no record: before an operation begins, and after a reorg removed it.
 */
const NEXT: Readonly<Record<OperationStatus | 'NONE', readonly (OperationStatus | null)[]>> = {
  NONE: ['PENDING_ORIGIN_TX', 'CONFIRMING'],
  PENDING_ORIGIN_TX: ['CONFIRMING', 'EXPIRED'],
  CONFIRMING: ['AWAITING_RELAY', 'PENDING_ORIGIN_TX', 'FAILED', null],
  AWAITING_RELAY: ['PROCESSING_DESTINATION', 'DELAYED', 'FAILED'],
  PROCESSING_DESTINATION: ['COMPLETED', 'DELAYED', 'FAILED'],
  DELAYED: ['PROCESSING_DESTINATION', 'FAILED'],
  COMPLETED: [],
  FAILED: [],
  EXPIRED: [],
};

/** Whether the table of statuses has this step. An unchanged status is not a step. */
export function canTransition(from: OperationStatus | null, to: OperationStatus | null): boolean {
  return NEXT[from ?? 'NONE'].includes(to);
}
