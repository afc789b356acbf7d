import { statusOf } from '@causeway/protocol';
import type { Prisma } from '../generated/prisma/client.js';
import type { OperationTerms, OriginRecord } from './operation.js';

/**
 * Writes a new operation and enters it in the history of its parties, in the caller's transaction.
 *
 * @param origin null for an intent, whose origin transaction is still to come.
 */
export async function openOperation(
  tx: Prisma.TransactionClient,
  terms: OperationTerms,
  origin: OriginRecord | null,
): Promise<void> {
  const { id, amount, fee, output, originNonce, ...rest } = terms;
  await tx.operation.create({
    data: {
      id,
      ...rest,
      amount: amount.toString(),
      fee: fee.toString(),
      output: output.toString(),
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
  // In the order of the addresses, so that two transactions with the same parties never wait for each other in a ring.
  const parties = [...new Set([terms.sender, terms.recipient])].toSorted();
  for (const address of parties) await enterInHistory(tx, address, terms);
}

async function enterInHistory(tx: Prisma.TransactionClient, address: string, terms: OperationTerms): Promise<void> {
  const isDeposit = terms.direction === 'ETHEREUM_TO_PARTNER';
  const one = { total: 1n, deposits: isDeposit ? 1n : 0n, withdrawals: isDeposit ? 0n : 1n };
  const counter = await tx.partyCounter.upsert({
    where: { address },
    create: { address, ...one },
    update: {
      total: { increment: one.total },
      deposits: { increment: one.deposits },
      withdrawals: { increment: one.withdrawals },
    },
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
