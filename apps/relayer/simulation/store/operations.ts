import { isTerminal, statusOf, type FailureReason, type OperationTerms } from '@causeway/protocol';
import { columnsAfter, type Operation, type OriginRecord } from '@causeway/store';
import type { Hex } from 'viem';
import type { MemoryDatabase } from './memory-database.ts';
import type { OperationRow } from './rows.ts';
import { ConstraintError } from './table.ts';

/** The columns that a stage may write. */
export type OperationChange = Parameters<typeof columnsAfter>[1];

/** An operation that begins. See `NewOperation` of the store. */
interface NewOperation {
  readonly terms: OperationTerms;
  readonly origin: OriginRecord | null;
  readonly createdAt: Date;
  readonly failure?: {
    readonly reason: FailureReason;
    readonly refundId: Hex;
    readonly finalizedAt: Date;
    readonly confirmations: number;
  };
}

const NOTHING_DONE = {
  holdUntil: null,
  holdReleasedAt: null,
  delayedReason: null,
  delayedSince: null,
  attempts: 0,
  nextAttemptAt: null,
  destinationTxHash: null,
  settledAt: null,
  settledBlockNumber: null,
  settledCredited: null,
  expiredAt: null,
} as const;

/** The columns of an operation without an origin. */
export const NO_ORIGIN = {
  originTxHash: null,
  originLogIndex: null,
  originBlockNumber: null,
  originBlockHash: null,
  originConfirmations: 0,
} as const;

/** The columns of an origin that was found. */
export function originColumns({ txHash, logIndex, blockNumber, blockHash }: OriginRecord) {
  return {
    originTxHash: txHash,
    originLogIndex: logIndex,
    originBlockNumber: blockNumber,
    originBlockHash: blockHash,
    originConfirmations: 1,
  };
}

/** @throws ConstraintError when the operation exists. */
export function openOperation(database: MemoryDatabase, { terms, origin, createdAt, failure }: NewOperation): void {
  const facts = {
    ...NOTHING_DONE,
    originTxHash: origin?.txHash ?? null,
    finalizedAt: failure?.finalizedAt ?? null,
    failureReason: failure?.reason ?? null,
  };
  const status = statusOf({
    ...facts,
    finalizedAtMs: facts.finalizedAt?.getTime() ?? null,
    settledAtMs: null,
    expiredAtMs: null,
  });
  database.operations.insert(terms.id, {
    ...terms,
    ...facts,
    status,
    originLogIndex: origin?.logIndex ?? null,
    originBlockNumber: origin?.blockNumber ?? null,
    originBlockHash: origin?.blockHash ?? null,
    originConfirmations: failure?.confirmations ?? (origin === null ? 0 : 1),
    refundId: failure?.refundId ?? null,
    createdAt,
    updatedAt: database.date(),
  });
}

/**
 * Changes an operation; there is no other way. `decide` returns null when there is nothing to do.
 *
 * @returns whether something was written.
 * @throws IllegalTransitionError when the table of statuses does not have the step.
 * @throws ConstraintError when the operation has ended.
 */
export function advance(
  database: MemoryDatabase,
  id: string,
  decide: (now: OperationRow) => OperationChange | null,
): boolean {
  const before = database.operations.get(id);
  const change = before === undefined ? null : decide(before);
  if (before === undefined || change === null) return false;
  const now = database.date();
  const after = columnsAfter(before, change, now);
  if (isTerminal(before.status))
    throw new ConstraintError('23000', `operation ${id} is ${before.status}, a terminal status: it cannot change`);
  database.operations.put(id, { ...before, ...after, updatedAt: now });
  return true;
}

/** Changes several operations. Returns the ids of those that were written. */
export function advanceAll(
  database: MemoryDatabase,
  ids: readonly string[],
  decide: (now: OperationRow) => OperationChange | null,
): ReadonlySet<string> {
  return new Set([...new Set(ids)].filter((id) => advance(database, id, decide)));
}

/** Whether the event that began an operation is stored. An operation of an intent has none. */
export function hasOriginEvent({ events }: MemoryDatabase, operation: OperationRow, name?: 'Withdraw'): boolean {
  return events
    .of(operation.id)
    .some(
      (event) =>
        event.chainId === operation.originChainId &&
        event.txHash === operation.originTxHash &&
        event.logIndex === operation.originLogIndex &&
        event.blockHash === operation.originBlockHash &&
        (name === undefined || event.name === name),
    );
}

/** Converts a row. */
export function toOperation(row: OperationRow): Operation {
  const { originTxHash, originLogIndex, originBlockNumber, originBlockHash } = row;
  const { settledAt, settledBlockNumber, settledCredited, destinationTxHash } = row;
  return {
    id: row.id,
    kind: row.kind,
    direction: row.direction,
    asset: row.asset,
    status: row.status,
    amount: row.amount,
    fee: row.fee,
    feeBps: row.feeBps,
    outputAmount: row.outputAmount,
    sender: row.sender,
    recipient: row.recipient,
    originChainId: row.originChainId,
    destinationChainId: row.destinationChainId,
    originNonce: row.originNonce,
    origin:
      originTxHash === null || originBlockNumber === null || originBlockHash === null
        ? null
        : {
            txHash: originTxHash as Hex,
            logIndex: originLogIndex,
            blockNumber: originBlockNumber,
            blockHash: originBlockHash as Hex,
          },
    originConfirmations: row.originConfirmations,
    requiredConfirmations: row.requiredConfirmations,
    finalizedAt: row.finalizedAt,
    holdUntil: row.holdUntil,
    holdReleasedAt: row.holdReleasedAt,
    delayedReason: row.delayedReason,
    delayedSince: row.delayedSince,
    attempts: row.attempts,
    nextAttemptAt: row.nextAttemptAt,
    destinationTxHash: destinationTxHash as Hex | null,
    settlement:
      settledAt === null || settledBlockNumber === null || destinationTxHash === null
        ? null
        : {
            txHash: destinationTxHash as Hex,
            blockNumber: settledBlockNumber,
            settledAt,
            credited: settledCredited ?? false,
          },
    failureReason: row.failureReason,
    refundId: row.refundId as Hex | null,
    expiredAt: row.expiredAt,
    quotedCompletionAt:
      row.estimatedSeconds === undefined ? null : new Date(row.createdAt.getTime() + row.estimatedSeconds * 1_000),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
