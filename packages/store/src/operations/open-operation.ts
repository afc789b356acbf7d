import { statusOf } from '@causeway/protocol';
import type { Prisma } from '../generated/prisma/client.js';
import type { OperationTerms, OriginRecord } from './operation.js';

/**
 * Writes a new operation and its rows in the histories of sender and recipient. The caller's transaction has locked
 * their counters with `lockParties`.
 *
 * @param origin null for an intent: its origin transaction comes later.
 */
export async function openOperation(
  tx: Prisma.TransactionClient,
  terms: OperationTerms,
  origin: OriginRecord | null,
): Promise<void> {
  const { id, amount, fee, outputAmount, originNonce, ...rest } = terms;
  await tx.operation.create({
    data: {
      id,
      ...rest,
      amount: amount.toString(),
      fee: fee.toString(),
      outputAmount: outputAmount.toString(),
      originNonce: originNonce?.toString() ?? null,
      originTxHash: origin?.txHash ?? null,
      originLogIndex: origin?.logIndex ?? null,
      originBlockNumber: origin?.blockNumber ?? null,
      originBlockHash: origin?.blockHash ?? null,
      status: statusOf({
        originTxHash: origin?.txHash ?? null,
        finalizedAtMs: null,
        destinationTxHash: null,
        delayedReason: null,
        settledAtMs: null,
        failureReason: null,
        expiredAtMs: null,
      }),
    },
  });
  for (const address of new Set([terms.sender, terms.recipient])) await addToHistory(tx, address, terms);
}

async function addToHistory(tx: Prisma.TransactionClient, address: string, terms: OperationTerms): Promise<void> {
  const isDeposit = terms.direction === 'ETHEREUM_TO_PARTNER';
  const counter = await tx.partyCounter.update({
    where: { address },
    data: { total: { increment: 1n }, [isDeposit ? 'deposits' : 'withdrawals']: { increment: 1n } },
  });
  await tx.operationParty.create({
    data: {
      address,
      sequence: counter.total,
      direction: terms.direction,
      directionSequence: isDeposit ? counter.deposits : counter.withdrawals,
      operationId: terms.id,
    },
  });
}

/**
 * Deletes an operation whose origin transaction was removed by a reorg, and renumbers the later rows in the histories
 * of its parties. These rows are few, since a reorg is recent. The caller's transaction has locked the counters of
 * sender and recipient with `lockParties`.
 */
export async function withdrawOperation(tx: Prisma.TransactionClient, id: string): Promise<void> {
  const parties = await tx.operationParty.findMany({ where: { operationId: id }, orderBy: { address: 'asc' } });
  await tx.operation.delete({ where: { id } });
  for (const party of parties) {
    const { address, direction, sequence, directionSequence } = party;
    const column = direction === 'ETHEREUM_TO_PARTNER' ? 'deposits' : 'withdrawals';
    // One row at a time in ascending order: PostgreSQL checks uniqueness row by row.
    const later = await tx.operationParty.findMany({
      where: { address, sequence: { gt: sequence } },
      orderBy: { sequence: 'asc' },
    });
    for (const row of later) {
      await tx.operationParty.update({
        where: { address_sequence: { address, sequence: row.sequence } },
        data: {
          sequence: row.sequence - 1n,
          directionSequence:
            row.direction === direction && row.directionSequence > directionSequence
              ? row.directionSequence - 1n
              : row.directionSequence,
        },
      });
    }
    await tx.partyCounter.update({
      where: { address },
      data: { total: { decrement: 1n }, [column]: { decrement: 1n } },
    });
  }
}
