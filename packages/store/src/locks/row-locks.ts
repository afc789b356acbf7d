import type { Operation as OperationModel, Prisma, WalletCall as WalletCallModel } from '../generated/prisma/client.js';
import { execute, query } from '../sql/query.js';

// Locks of single rows, held until the caller's transaction ends. For their order see "The order of locks" in the
// README.

/**
 * Locks the counters of addresses and creates those that are missing. The caller names all addresses that its
 * transaction needs in one call; they are locked in ascending order.
 */
export async function lockParties(tx: Prisma.TransactionClient, addresses: readonly string[]): Promise<void> {
  if (addresses.length === 0) return;
  // An update without a change locks an existing row, in the same order in which missing rows are inserted.
  await execute(tx)`
    INSERT INTO party_counter (address)
    SELECT DISTINCT address FROM unnest(${[...addresses]}::text[]) AS party (address) ORDER BY address
    ON CONFLICT (address) DO UPDATE SET total = party_counter.total`;
}

/**
 * Locks the row of an operation and reads it. A transaction that also writes calls of the wallet locks the
 * operation first.
 *
 * @returns the row as it is under the lock; null when there is none.
 */
export async function lockOperation(tx: Prisma.TransactionClient, id: string): Promise<OperationModel | null> {
  // Two statements: the second one sees what was committed while the first one waited.
  await query(tx)`SELECT 1 FROM operation WHERE id = ${id} FOR UPDATE`;
  return tx.operation.findUnique({ where: { id } });
}

/** Locks the rows of several operations, in the order of their ids. */
export async function lockOperations(tx: Prisma.TransactionClient, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await query(tx)`SELECT 1 FROM operation WHERE id = ANY (${[...ids]}) ORDER BY id FOR UPDATE`;
}

/** Locks the row of a call of the wallet and reads it. Lock the operations that it pays first. */
export async function lockCall(tx: Prisma.TransactionClient, id: bigint): Promise<WalletCallModel | null> {
  await query(tx)`SELECT 1 FROM wallet_call WHERE id = ${id} FOR UPDATE`;
  return tx.walletCall.findUnique({ where: { id } });
}
