import type { Hex } from 'viem';
import type { OperationStatus } from './operation-status.js';

/** What is known of an operation. Each stage of the pipeline writes its own fact. */
export interface OperationFacts {
  /** Seen in a block, and for an intent paired with it. */
  readonly originTxHash: Hex | null;
  readonly finalizedAtMs: number | null;
  /** Signed and stored, about to be broadcast. */
  readonly destinationTxHash: Hex | null;
  /** Why the last attempt failed; null once the next one is under way. */
  readonly delayedReason: string | null;
  readonly settledAtMs: number | null;
  readonly failureReason: string | null;
  readonly expiredAtMs: number | null;
}

/** The status a user sees: the one place where it is decided. */
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
