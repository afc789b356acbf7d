import { statusOf } from '@causeway/protocol';
import type { Prisma } from '../generated/prisma/client.js';
import type { OperationTerms, OriginRecord } from './operation.js';

/**
 * Writes a new operation and enters it in the history of its parties, in the caller's transaction, which has locked the
 * counters of sender and recipient with `lockParties`.
 *
 * @param origin null for an intent, whose origin transaction is still to come.
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
  for (const address of new Set([terms.sender, terms.recipient])) await enterInHistory(tx, address, terms);
}

async function enterInHistory(tx: Prisma.TransactionClient, address: string, terms: OperationTerms): Promise<void> {
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
