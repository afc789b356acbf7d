import type { Prisma } from '../generated/prisma/client.js';
import { advanceOperation } from '../operations/advance-operation.js';
import { withdrawOperation } from '../operations/withdraw-operation.js';

/** A block that had the required confirmations is gone: people must look before anything else is paid. */
export class FinalityBrokenError extends Error {
  override readonly name = 'FinalityBrokenError';
  constructor(
    readonly chainId: number,
    readonly operationIds: readonly string[],
  ) {
    super(
      `A reorg of chain ${chainId} removed operations that were final: ${operationIds.join(', ')}. ` +
        'The required confirmations are too few for this chain, or its nodes are on a fork. Deliveries stop until an operator decides.',
    );
  }
}

/**
 * Takes back, in the caller's transaction, which has the chain alone, what began after `ancestor`: deposits and burns are withdrawn, intents lose
 * their transfer and wait for one again (design: CONFIRMING, origin tx reorged away).
 *
 * @throws FinalityBrokenError when one of them is past CONFIRMING.
 */
export async function rollBackOperations(
  tx: Prisma.TransactionClient,
  chainId: number,
  ancestor: bigint,
): Promise<void> {
  const affected = await tx.operation.findMany({
    where: { originChainId: chainId, originBlockNumber: { gt: ancestor } },
    orderBy: { originBlockNumber: 'desc' },
    select: { id: true, kind: true, status: true },
  });
  const final = affected.filter(({ status }) => status !== 'CONFIRMING');
  if (final.length > 0)
    throw new FinalityBrokenError(
      chainId,
      final.map(({ id }) => id),
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
