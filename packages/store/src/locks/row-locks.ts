import type { Operation as OperationModel, Prisma, WalletCall as WalletCallModel } from '../generated/prisma/client.js';
import { execute, query } from '../sql/query.js';

// Locks of rows, held until the caller's transaction ends. For their order see "The order of locks" in the README.

/**
 * Locks the counters of addresses and creates missing ones. The caller passes all addresses that its transaction needs
 * in one call; they are locked in ascending order.
 */
export async function lockParties(tx: Prisma.TransactionClient, addresses: readonly string[]): Promise<void> {
  if (addresses.length === 0) return;
  // The no-op update locks existing rows in the same order in which missing rows are inserted.
  await execute(tx)`
    INSERT INTO party_counter (address)
    SELECT DISTINCT address FROM unnest(${[...addresses]}::text[]) AS party (address) ORDER BY address
    ON CONFLICT (address) DO UPDATE SET total = party_counter.total`;
}

/**
 * Locks the row of an operation and reads it. A transaction that also writes wallet calls locks the operation first.
 *
 * @returns the row as read under the lock; null when there is none.
 */
export async function lockOperation(tx: Prisma.TransactionClient, id: string): Promise<OperationModel | null> {
  // A separate statement sees rows committed while the first one waited.
  await query(tx)`SELECT 1 FROM operation WHERE id = ${id} FOR UPDATE`;
  return tx.operation.findUnique({ where: { id } });
}

/** Locks the rows of several operations, ordered by id. */
export async function lockOperations(tx: Prisma.TransactionClient, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await query(tx)`SELECT 1 FROM operation WHERE id = ANY (${[...ids]}) ORDER BY id FOR UPDATE`;
}

/** Locks the row of a wallet call and reads it. Lock the operations that it pays first. */
export async function lockCall(tx: Prisma.TransactionClient, id: bigint): Promise<WalletCallModel | null> {
  await query(tx)`SELECT 1 FROM wallet_call WHERE id = ${id} FOR UPDATE`;
  return tx.walletCall.findUnique({ where: { id } });
}
