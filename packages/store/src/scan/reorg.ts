import type { Hex } from 'viem';
import type { Prisma } from '../generated/prisma/client.js';
import { lockParties } from '../locks/row-locks.js';
import { advanceOperation } from '../operations/advance-operation.js';
import { withdrawOperation } from '../operations/open-operation.js';
import type { OperationTerms, OriginRecord } from '../operations/operation.js';
import type { ScannedTransfer } from './scanned-block.js';
import { execute, query } from '../sql/query.js';

/** A reorg removed a final block: an operator must review it before the bridge continues to pay. */
export class FinalityBrokenError extends Error {
  override readonly name = 'FinalityBrokenError';
  constructor(
    readonly chainId: number,
    readonly operationIds: readonly string[],
  ) {
    super(
      `A reorg of chain ${chainId} removed final blocks of the operations ${operationIds.join(', ')}. ` +
        'The required confirmations are too few for this chain, or its nodes are on a fork.',
    );
  }
}

/**
 * Finds the operations past CONFIRMING that began after `ancestor`, and those that were delivered or refunded after it.
 * Leaves out operations whose origin was already lost in a reorg that an operator accepted.
 */
export async function findBroken(tx: Prisma.TransactionClient, chainId: number, ancestor: bigint): Promise<string[]> {
  const final = await query<{ id: string }>(tx)`
    SELECT o.id FROM operation o
    JOIN chain_block b ON b.chain_id = o.origin_chain_id AND b.number = o.origin_block_number AND b.hash = o.origin_block_hash
    WHERE o.origin_chain_id = ${chainId} AND o.origin_block_number > ${ancestor} AND o.status <> 'CONFIRMING'
    ORDER BY o.origin_block_number DESC, o.id`;
  const completed = await query<{ id: string }>(tx)`
    SELECT DISTINCT o.id FROM chain_event e
    JOIN operation o ON o.id = e.operation_id AND o.destination_chain_id = e.chain_id AND o.destination_tx_hash = e.tx_hash
    WHERE e.chain_id = ${chainId} AND e.block_number > ${ancestor} AND e.name IN ('Mint', 'Release')
      AND o.status = 'COMPLETED'`;
  const refunded = await query<{ id: string }>(tx)`
    SELECT r.operation_id AS id FROM chain_event e JOIN refund r ON r.id = e.operation_id AND r.chain_id = e.chain_id
    WHERE e.chain_id = ${chainId} AND e.block_number > ${ancestor} AND e.name = 'Refunded' AND r.status = 'COMPLETED'`;
  return [...new Set([...final, ...completed, ...refunded].map(({ id }) => id))];
}

/**
 * Deletes everything read after `ancestor` and moves the cursor to the block after it. The caller's transaction holds
 * the exclusive lock of the chain. Operations that were final keep their records.
 */
export async function rollBackTo(tx: Prisma.TransactionClient, chainId: number, ancestor: bigint): Promise<void> {
  await rollBackOperations(tx, chainId, ancestor);
  // The block after which an open intent was accepted is gone. Any transfer in the next block is later than the intent.
  await execute(tx)`
    UPDATE intent i SET accepted_at_block = ${ancestor + 1n} FROM operation o
    WHERE o.id = i.id AND o.origin_chain_id = ${chainId} AND o.kind = 'INTENT'
      AND o.status IN ('PENDING_ORIGIN_TX', 'CONFIRMING') AND i.accepted_at_block > ${ancestor + 1n}`;
  const later = { chainId, blockNumber: { gt: ancestor } };
  await tx.inboundTransfer.deleteMany({ where: later });
  await tx.dust.deleteMany({ where: later });
  await tx.chainEvent.deleteMany({ where: later });
  await tx.chainBlock.deleteMany({ where: { chainId, number: { gt: ancestor } } });
  // Totals up to removed blocks, which were final when the totals were computed.
  await tx.xcnTotal.deleteMany({
    where: {
      OR: [
        { partnerChainId: chainId, partnerBlock: { gt: ancestor } },
        { ethereumChainId: chainId, ethereumBlock: { gt: ancestor } },
      ],
    },
  });
  await tx.walletAudit.deleteMany({ where: later });
  await tx.balanceDifference.deleteMany({ where: later });
  await tx.chainCursor.update({ where: { chainId }, data: { nextBlock: ancestor + 1n } });
}

/** Deletes deposits and withdrawals that are not final. Intents lose their transfer and are pending again. */
async function rollBackOperations(tx: Prisma.TransactionClient, chainId: number, ancestor: bigint): Promise<void> {
  const affected = await tx.operation.findMany({
    where: { originChainId: chainId, originBlockNumber: { gt: ancestor }, status: 'CONFIRMING' },
    orderBy: { originBlockNumber: 'desc' },
    select: { id: true, kind: true, sender: true, recipient: true },
  });
  const withdrawn = affected.filter(({ kind }) => kind !== 'INTENT');
  await lockParties(
    tx,
    withdrawn.flatMap(({ sender, recipient }) => [sender, recipient]),
  );
  for (const { id, kind } of affected) {
    if (kind === 'INTENT') {
      await tx.inboundTransfer.updateMany({ where: { operationId: id }, data: { operationId: null } });
      await advanceOperation(tx, id, () => ({
        originTxHash: null,
        originLogIndex: null,
        originBlockNumber: null,
        originBlockHash: null,
        originConfirmations: 0,
      }));
    } else {
      await withdrawOperation(tx, id);
    }
  }
}

// An operation can lose its origin only when an operator accepts a reorg of final blocks. When the new branch contains
// the same origin, the operation is updated to refer to it.

/** Finds the existing operations among these whose origin is not among the stored events. */
export async function findWithoutOrigin(
  tx: Prisma.TransactionClient,
  opened: readonly { readonly terms: OperationTerms }[],
): Promise<string[]> {
  const ids = opened.map(({ terms }) => terms.id);
  // Almost always none exists. As one statement, PostgreSQL would scan all events when it expects many rows.
  const existing = await query<{ id: string }>(tx)`SELECT id FROM operation WHERE id = ANY(${ids})`;
  if (existing.length === 0) return [];
  const existingIds = existing.map(({ id }) => id);
  const rows = await query<{ id: string }>(tx)`
    SELECT o.id FROM operation o WHERE o.id = ANY(${existingIds}) AND NOT EXISTS (
      SELECT 1 FROM chain_event e WHERE e.chain_id = o.origin_chain_id AND e.tx_hash = o.origin_tx_hash
        AND e.log_index = o.origin_log_index AND e.block_hash = o.origin_block_hash)`;
  return rows.map(({ id }) => id);
}

/**
 * Moves an operation that lost its origin to the new position of a deposit or withdrawal with the same id and terms. A
 * completed or failed operation stays unchanged. So does an operation whose number belongs to different terms on the
 * new branch: the destination contract pays a number once, so an operator must settle it (the relayer's `unmatched`
 * lists it).
 */
export async function restoreOrigin(
  tx: Prisma.TransactionClient,
  terms: OperationTerms,
  origin: OriginRecord,
): Promise<void> {
  await advanceOperation(tx, terms.id, (now) =>
    isLive(now.status) &&
    now.sender === terms.sender &&
    now.recipient === terms.recipient &&
    now.asset === terms.asset &&
    now.amount.toFixed(0) === terms.amount.toString() &&
    now.fee.toFixed(0) === terms.fee.toString()
      ? originColumns(origin)
      : null,
  );
}

/**
 * Moves an intent that lost its transfer to the new block of the same transaction.
 *
 * @param taken the intents to which other transfers of these blocks were restored.
 * @returns the id of the intent; null when no intent lost this transfer.
 */
export async function restoreTransfer(
  tx: Prisma.TransactionClient,
  chainId: number,
  transfer: ScannedTransfer,
  block: { readonly blockNumber: bigint; readonly blockHash: Hex },
  taken: readonly string[],
): Promise<string | null> {
  const lost = await tx.operation.findFirst({
    where: {
      kind: 'INTENT',
      originChainId: chainId,
      originTxHash: transfer.txHash,
      sender: transfer.payer,
      asset: transfer.asset,
      amount: transfer.amount.toString(),
      transfer: null,
      id: { notIn: [...taken] },
    },
    orderBy: { id: 'asc' },
    select: { id: true },
  });
  if (lost === null) return null;
  const origin = { txHash: transfer.txHash, logIndex: null, ...block };
  const restored = await advanceOperation(tx, lost.id, (now) => (isLive(now.status) ? originColumns(origin) : null));
  return restored ? lost.id : null;
}

function isLive(status: string): boolean {
  return status === 'AWAITING_RELAY' || status === 'PROCESSING_DESTINATION' || status === 'DELAYED';
}

function originColumns({ txHash, logIndex, blockNumber, blockHash }: OriginRecord) {
  return {
    originTxHash: txHash,
    originLogIndex: logIndex,
    originBlockNumber: blockNumber,
    originBlockHash: blockHash,
    originConfirmations: 1,
  };
}
