import { canTransition, computeStatus, type OperationFacts, type OperationStatus } from '@causeway/protocol';
import type { Hex } from 'viem';
import type { Operation as OperationModel, Prisma } from '../generated/prisma/client.js';
import { lockOperation, lockOperations } from '../locks/row-locks.js';
import { execute } from '../sql/query.js';

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

/** The columns from which the status follows. */
type OperationProgress = Pick<
  OperationModel,
  | 'id'
  | 'status'
  | 'originTxHash'
  | 'finalizedAt'
  | 'destinationTxHash'
  | 'delayedReason'
  | 'delayedSince'
  | 'settledAt'
  | 'failureReason'
  | 'expiredAt'
>;

/** The columns that a stage may write. The status is computed from them. */
type OperationChange = Partial<
  Pick<
    OperationModel,
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
    | 'refundId'
    | 'expiredAt'
  >
>;

/**
 * Changes an operation; there is no other way but this and `advanceOperations`. It locks the row, calls `decide` with
 * it, computes the status from the change and writes both.
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
 * Changes operations as `advanceOperation` does, with three statements however many they are.
 *
 * @returns the ids of those that were written.
 * @throws IllegalTransitionError when the table of statuses does not have a step; then nothing was written.
 */
export async function advanceOperations(
  tx: Prisma.TransactionClient,
  ids: readonly string[],
  decide: (now: OperationModel) => OperationChange | null,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  await lockOperations(tx, ids);
  const now = new Date();
  const rows = await tx.operation.findMany({ where: { id: { in: [...ids] } } });
  const after = rows.flatMap((before) => {
    const change = decide(before);
    return change === null ? [] : [{ ...before, ...columnsAfter(before, change, now) }];
  });
  if (after.length === 0) return new Set();
  await execute(tx)`
    UPDATE operation o SET status = a.status, updated_at = ${now}, origin_tx_hash = a.origin_tx_hash,
      origin_log_index = a.origin_log_index, origin_block_number = a.origin_block_number,
      origin_block_hash = a.origin_block_hash, origin_confirmations = a.origin_confirmations,
      finalized_at = a.finalized_at, hold_until = a.hold_until, hold_released_at = a.hold_released_at,
      delayed_since = a.delayed_since, delayed_reason = a.delayed_reason, attempts = a.attempts,
      next_attempt_at = a.next_attempt_at, destination_tx_hash = a.destination_tx_hash, settled_at = a.settled_at,
      settled_block_number = a.settled_block_number, settled_credited = a.settled_credited,
      failure_reason = a.failure_reason, refund_id = a.refund_id, expired_at = a.expired_at
    FROM jsonb_populate_recordset(NULL::operation, ${JSON.stringify(after.map(toRecord))}::jsonb) a WHERE o.id = a.id`;
  return new Set(after.map(({ id }) => id));
}

/** The columns by their names in the database. Bigints become texts, which JSON has no other form for. */
function toRecord(row: object): object {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      typeof value === 'bigint' ? value.toString() : (value as unknown),
    ]),
  );
}

/**
 * Adds to a change what follows from it: the status, and since when the operation is delayed. A delay keeps its
 * beginning while it lasts, whatever its reasons are.
 *
 * @throws IllegalTransitionError
 */
export function columnsAfter(
  before: OperationProgress,
  change: OperationChange,
  now: Date,
): OperationChange & { readonly status: OperationStatus; readonly delayedSince: Date | null } {
  const from: OperationStatus = before.status;
  const to = computeStatus(toFacts({ ...before, ...change }));
  if (from !== to && !canTransition(from, to)) throw new IllegalTransitionError(before.id, from, to);
  return { ...change, status: to, delayedSince: to === 'DELAYED' ? (before.delayedSince ?? now) : null };
}

function toFacts(after: OperationProgress): OperationFacts {
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
