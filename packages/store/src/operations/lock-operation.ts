import type { Operation as OperationModel, Prisma } from '../generated/prisma/client.js';

/**
 * Locks the row of an operation until the caller's transaction ends, and reads it. Whoever goes on to the nonces or the
 * journal does this first: see "The order of locks" in the README of this package.
 *
 * @returns the row as it is under the lock; null when there is none.
 */
export async function lockOperation(tx: Prisma.TransactionClient, id: string): Promise<OperationModel | null> {
  // Two statements: the second one sees what was committed while the first one waited.
  await tx.$queryRaw`SELECT 1 FROM operation WHERE id = ${id} FOR UPDATE`;
  return tx.operation.findUnique({ where: { id } });
}
