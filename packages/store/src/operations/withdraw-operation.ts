import type { Prisma } from '../generated/prisma/client.js';

/**
 * Deletes an operation whose origin transaction a reorg removed, in the caller's transaction, and closes the gaps that
 * leaves in the numbering of its parties' histories. The later rows of a party are few: a reorg is recent. The caller has
 * locked the counters of sender and recipient with `lockParties`.
 */
export async function withdrawOperation(tx: Prisma.TransactionClient, id: string): Promise<void> {
  const parties = await tx.operationParty.findMany({ where: { operationId: id }, orderBy: { address: 'asc' } });
  await tx.operation.delete({ where: { id } });
  for (const party of parties) {
    const { address, direction, sequence, directionSequence } = party;
    const column = direction === 'ETHEREUM_TO_PARTNER' ? 'deposits' : 'withdrawals';
    // One by one in ascending order: PostgreSQL checks uniqueness row by row.
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
