import type { Prisma } from '../generated/prisma/client.js';
import { advanceOperation } from '../operations/advance-operation.js';
import { lockParties } from '../operations/lock-parties.js';
import { withdrawOperation } from '../operations/withdraw-operation.js';

/** A block that had the required confirmations is gone: people must look before anything else is paid. */
export class FinalityBrokenError extends Error {
  override readonly name = 'FinalityBrokenError';
  constructor(
    readonly chainId: number,
    readonly operationIds: readonly string[],
  ) {
    super(
      `A reorg of chain ${chainId} removed what was final of the operations ${operationIds.join(', ')}. ` +
        'The required confirmations are too few for this chain, or its nodes are on a fork. Nothing more is read of the chain until an operator decides.',
    );
  }
}

/**
 * Takes back, in the caller's transaction, which has the chain alone, what began after `ancestor`: deposits and burns are
 * withdrawn, intents lose their transfer and wait for one again (design: CONFIRMING, origin tx reorged away).
 *
 * @throws FinalityBrokenError when one of them is past CONFIRMING, or another was completed by a delivery after `ancestor`.
 */
export async function rollBackOperations(
  tx: Prisma.TransactionClient,
  chainId: number,
  ancestor: bigint,
): Promise<void> {
  const affected = await tx.operation.findMany({
    where: { originChainId: chainId, originBlockNumber: { gt: ancestor } },
    orderBy: { originBlockNumber: 'desc' },
    select: { id: true, kind: true, status: true, sender: true, recipient: true },
  });
  const final = affected.filter(({ status }) => status !== 'CONFIRMING').map(({ id }) => id);
  const broken = [...final, ...(await completedAfter(tx, chainId, ancestor))];
  if (broken.length > 0) throw new FinalityBrokenError(chainId, broken);
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

/** The operations that were completed by a delivery in a block after `ancestor`. */
async function completedAfter(tx: Prisma.TransactionClient, chainId: number, ancestor: bigint): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT DISTINCT o.id FROM chain_event e
    JOIN operation o ON o.id = e.operation_id AND o.destination_chain_id = e.chain_id AND o.destination_tx_hash = e.tx_hash
    WHERE e.chain_id = ${chainId} AND e.block_number > ${ancestor} AND e.name IN ('Mint', 'Release')
      AND o.status = 'COMPLETED'`;
  return rows.map(({ id }) => id);
}
