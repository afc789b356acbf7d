import { canTransition, statusOf, type OperationFacts, type OperationStatus } from '@causeway/protocol';
import type { Hex } from 'viem';
import type { Operation as OperationModel, Prisma } from '../generated/prisma/client.js';
import { lockOperation } from '../locks/row-locks.js';

/** A step that the table of statuses does not allow: a defect or a race. It is never written. */
export class IllegalTransitionError extends Error {
  override readonly name = 'IllegalTransitionError';
  constructor(
    readonly operationId: string,
    readonly from: OperationStatus,
    readonly to: OperationStatus,
  ) {
    super(`Operation ${operationId} cannot go from ${from} to ${to}`);
  }
}

/** The columns that a stage may write. The status is computed from them. */
type OperationChange = Pick<
  Prisma.OperationUncheckedUpdateInput,
  | 'originTxHash'
  | 'originLogIndex'
  | 'originBlockNumber'
  | 'originBlockHash'
  | 'originConfirmations'
  | 'finalizedAt'
  | 'holdUntil'
  | 'holdReleasedAt'
  | 'delayedReason'
  | 'attempts'
  | 'nextAttemptAt'
  | 'destinationTxHash'
  | 'settledAt'
  | 'settledBlockNumber'
  | 'settledCredited'
  | 'failureReason'
  | 'expiredAt'
>;

/**
 * Changes an operation; there is no other way. It locks the row, calls `decide` with it, computes the status from the
 * change and writes both.
 *
 * @param decide returns the change; null when there is nothing to do any more, since another step came first.
 * @returns whether something was written.
 * @throws IllegalTransitionError when the table of statuses does not have the step.
 */
export async function advanceOperation(
  tx: Prisma.TransactionClient,
  id: string,
  decide: (now: OperationModel) => OperationChange | null,
): Promise<boolean> {
  const before = await lockOperation(tx, id);
  if (before === null) return false;
  const change = decide(before);
  if (change === null) return false;
  await tx.operation.update({ where: { id }, data: columnsAfter(before, change, new Date()) });
  return true;
}

/**
 * Adds to a change what follows from it: the status, and since when the operation is delayed. A delay keeps its
 * beginning while it lasts, whatever its reasons are.
 *
 * @throws IllegalTransitionError
 */
export function columnsAfter(
  before: OperationModel,
  change: OperationChange,
  now: Date,
): OperationChange & { readonly status: OperationStatus; readonly delayedSince: Date | null } {
  const from: OperationStatus = before.status;
  const to = statusOf(factsOf({ ...before, ...change } as OperationModel));
  if (from !== to && !canTransition(from, to)) throw new IllegalTransitionError(before.id, from, to);
  return { ...change, status: to, delayedSince: to === 'DELAYED' ? (before.delayedSince ?? now) : null };
}

function factsOf(after: OperationModel): OperationFacts {
  return {
    originTxHash: after.originTxHash as Hex | null,
    finalizedAtMs: after.finalizedAt?.getTime() ?? null,
    destinationTxHash: after.destinationTxHash as Hex | null,
    delayedReason: after.delayedReason,
    settledAtMs: after.settledAt?.getTime() ?? null,
    failureReason: after.failureReason,
    expiredAtMs: after.expiredAt?.getTime() ?? null,
  };
}
