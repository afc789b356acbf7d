import { canTransition, computeStatus, type OperationFacts, type OperationStatus } from '@causeway/protocol';
import type { Hex } from 'viem';
import { Prisma, type Operation as OperationModel } from '../generated/prisma/client.js';
import { lockOperation, lockOperations } from '../locks/row-locks.js';
import { toColumn } from '../sql/columns.js';
import { execute } from '../sql/query.js';

/** A status transition that is not allowed: a defect or a race. It is never written. */
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

/** The columns that determine the status. */
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

/**
 * Who writes each column: `step`, a stage; `status`, computed with the status; `kept`, neither. Typecheck fails until a
 * new column is listed.
 */
const WRITTEN_BY = {
  id: 'kept',
  kind: 'kept',
  direction: 'kept',
  asset: 'kept',
  status: 'status',
  amount: 'kept',
  fee: 'kept',
  feeBps: 'kept',
  outputAmount: 'kept',
  sender: 'kept',
  recipient: 'kept',
  originChainId: 'kept',
  destinationChainId: 'kept',
  originNonce: 'kept',
  originTxHash: 'step',
  originLogIndex: 'step',
  originBlockNumber: 'step',
  originBlockHash: 'step',
  originConfirmations: 'step',
  requiredConfirmations: 'kept',
  finalizedAt: 'step',
  holdUntil: 'step',
  holdReleasedAt: 'step',
  // By a trigger.
  finalSince: 'kept',
  delayedReason: 'step',
  delayedSince: 'status',
  attempts: 'step',
  nextAttemptAt: 'step',
  destinationTxHash: 'step',
  settledAt: 'step',
  settledBlockNumber: 'step',
  settledCredited: 'step',
  failureReason: 'step',
  refundId: 'step',
  expiredAt: 'step',
  quotedCompletionAt: 'kept',
  createdAt: 'kept',
  updatedAt: 'status',
  // By a trigger.
  changedIn: 'kept',
} as const satisfies Record<keyof OperationModel, 'step' | 'status' | 'kept'>;

type StepColumn = {
  [Field in keyof OperationModel]: (typeof WRITTEN_BY)[Field] extends 'step' ? Field : never;
}[keyof OperationModel];

/** The columns that a stage can write. The status is computed from them. */
type OperationChange = Partial<Pick<OperationModel, StepColumn>>;

/** `status = a.status, …` for all columns that are not kept. */
const ASSIGNMENTS = Object.entries(WRITTEN_BY)
  .filter(([, writer]) => writer !== 'kept')
  .map(([field]) => `${toColumn(field)} = a.${toColumn(field)}`)
  .join(', ');

/**
 * Changes an operation. Only this function and `advanceOperations` do so. Locks the row, calls `decide` with it,
 * computes the status from the change and writes both.
 *
 * @param decide returns the change; null when another step came first and no change is needed.
 * @returns whether the change was written.
 * @throws IllegalTransitionError when the transition is not allowed.
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
 * Changes operations as `advanceOperation` does, in three statements regardless of their number.
 *
 * @returns the ids of the changed operations.
 * @throws IllegalTransitionError when a transition is not allowed; nothing is written then.
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
    return change === null ? [] : [{ ...before, ...columnsAfter(before, change, now), updatedAt: now }];
  });
  if (after.length === 0) return new Set();
  await execute(tx)`
    UPDATE operation o SET ${Prisma.raw(ASSIGNMENTS)}
    FROM jsonb_populate_recordset(NULL::operation, ${JSON.stringify(after.map(toRecord))}::jsonb) a WHERE o.id = a.id`;
  return new Set(after.map(({ id }) => id));
}

/** Renames columns to the database's names. Bigints become text, because JSON cannot represent them. */
function toRecord(row: object): object {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      toColumn(name),
      typeof value === 'bigint' ? value.toString() : (value as unknown),
    ]),
  );
}

/**
 * Adds the status and the start of the delay to a change. A delay keeps its start when its reason changes.
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
