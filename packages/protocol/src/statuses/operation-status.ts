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

/** Whether a record with this status never changes again: clients stop polling. */
export function isTerminal(status: OperationStatus): boolean {
  return status === 'COMPLETED' || status === 'FAILED' || status === 'EXPIRED';
}
