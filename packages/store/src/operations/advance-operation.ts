import { canTransition, statusOf, type OperationStatus } from '@causeway/protocol';
import type { Hex } from 'viem';
import type { Operation as OperationModel, Prisma } from '../generated/prisma/client.js';
import { lockOperation } from './lock-operation.js';

/** A step that the table of statuses does not allow: a defect or a race, never to be written. */
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

/** The columns a stage may write; the status is not among them, it follows from them. */
export type OperationChange = Pick<
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
  | 'settledClaimable'
  | 'failureReason'
  | 'expiredAt'
>;

/**
 * The one way an operation changes: locks its row, asks `decide` what to write given the row as it is now, computes the
 * status from the result and refuses a step that the table of statuses does not have.
 *
 * @param decide returns the change, or null when there is nothing to do any more (another step came first).
 * @returns whether something was written.
 * @throws IllegalTransitionError
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
  const from: OperationStatus = before.status;
  const to = statusAfter(before, change);
  if (from !== to && !canTransition(from, to)) throw new IllegalTransitionError(id, from, to);
  await tx.operation.update({ where: { id }, data: { ...change, status: to } });
  return true;
}

function statusAfter(before: OperationModel, change: OperationChange): OperationStatus {
  const after = { ...before, ...change } as OperationModel;
  return statusOf({
    originTxHash: after.originTxHash as Hex | null,
    finalizedAtMs: after.finalizedAt?.getTime() ?? null,
    destinationTxHash: after.destinationTxHash as Hex | null,
    delayedReason: after.delayedReason,
    settledAtMs: after.settledAt?.getTime() ?? null,
    failureReason: after.failureReason,
    expiredAtMs: after.expiredAt?.getTime() ?? null,
  });
}
