import { validateRequest, canIntentFail, type AdminOperationResponse } from '@causeway/protocol/admin';
import type { Operation, Refund, WalletCall } from '@causeway/store';

type Action = AdminOperationResponse['allowed'][number];

/** The facts that decide which actions make sense. */
export interface ActionFacts {
  readonly operation: Pick<Operation, 'id' | 'kind' | 'status' | 'delayedReason' | 'nextAttemptAt'>;
  readonly refund: Pick<Refund, 'status'> | null;
  /** The unfinished call that delivers the operation. */
  readonly pending: Pick<WalletCall, 'isCancelled'> | null;
  /** Operators rejected the intent. The relayer fails it once its transfer is final. */
  readonly isRejected: boolean;
  /** A chain of the operation is halted. */
  readonly isHalted: boolean;
  /** Whether a quorum of nodes has the block of its origin; null while they do not agree. */
  readonly hasOrigin: boolean | null;
}

/**
 * Returns the actions that the relayer would accept now, as far as the database and the nodes show. Pure. Every member
 * sees them; the endpoints decide who can take one.
 */
export function allowedActions({ operation, refund, pending, isRejected, isHalted, hasOrigin }: ActionFacts): Action[] {
  const { id, kind, status, delayedReason, nextAttemptAt } = operation;
  const isPaused = status === 'DELAYED' && nextAttemptAt !== null;
  const retry = validateRequest(
    { kind: 'RETRY', operationId: id },
    { about: 'operation', status, delayedReason, isPaused },
  );
  // Only a delivery whose origin is gone is withheld. The relayer sends every other delivery.
  const isWithheld = pending !== null && !pending.isCancelled && !isHalted && hasOrigin === false;
  const isOpenRefund = refund?.status === 'REQUESTED' || refund?.status === 'APPROVED';
  return [
    ...(retry === null ? (['RETRY'] as const) : []),
    ...(isWithheld ? (['CANCEL'] as const) : []),
    ...(kind === 'INTENT' && canIntentFail(status) && !isRejected ? (['INTENT_REJECT'] as const) : []),
    ...(isOpenRefund ? (['REFUND_APPROVE', 'REFUND_REFUSE'] as const) : []),
  ];
}
