import { validateRequest, canIntentFail, type AdminOperationResponse } from '@causeway/protocol/admin';
import type { Operation, Refund, WalletCall } from '@causeway/store';

/** An action on an operation. */
type Action = AdminOperationResponse['allowed'][number];

/** The facts that decide which actions make sense. */
export interface ActionFacts {
  readonly operation: Pick<Operation, 'id' | 'kind' | 'status' | 'delayedReason' | 'nextAttemptAt'>;
  readonly refund: Pick<Refund, 'status'> | null;
  /** The call that delivers it and has not ended. */
  readonly pending: Pick<WalletCall, 'isCancelled'> | null;
  /** Operators have rejected the intent; the relayer fails it when its transfer is final. */
  readonly isRejected: boolean;
  /** A chain of the operation is halted. */
  readonly isHalted: boolean;
  /** Whether a quorum of nodes has the block of its origin; null while they do not agree. */
  readonly hasOrigin: boolean | null;
}

/**
 * The actions that the relayer would not refuse now, as far as the database and the nodes show it. Pure. Everybody sees
 * them; who may take one is for the endpoints to decide.
 */
export function allowedActions({ operation, refund, pending, isRejected, isHalted, hasOrigin }: ActionFacts): Action[] {
  const { id, kind, status, delayedReason, nextAttemptAt } = operation;
  const isPaused = status === 'DELAYED' && nextAttemptAt !== null;
  const retry = validateRequest(
    { kind: 'RETRY', operationId: id },
    { about: 'operation', status, delayedReason, isPaused },
  );
  // Only a delivery that lost its origin is withheld. The relayer sends every other one.
  const isWithheld = pending !== null && !pending.isCancelled && !isHalted && hasOrigin === false;
  const isOpenRefund = refund?.status === 'REQUESTED' || refund?.status === 'APPROVED';
  return [
    ...(retry === null ? (['RETRY'] as const) : []),
    ...(isWithheld ? (['CANCEL'] as const) : []),
    ...(kind === 'INTENT' && canIntentFail(status) && !isRejected ? (['INTENT_REJECT'] as const) : []),
    ...(isOpenRefund ? (['REFUND_APPROVE', 'REFUND_REFUSE'] as const) : []),
  ];
}
