import type { OperationStatus } from './operation-status.js';

/** Where an operation may go from each status. `null` is «no record»: before it begins, and after a reorg removed it. */
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

/** Whether the table of statuses has this step. Staying in place is not a step. */
export function canTransition(from: OperationStatus | null, to: OperationStatus | null): boolean {
  return NEXT[from ?? 'NONE'].includes(to);
}
