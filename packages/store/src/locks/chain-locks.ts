import type { Prisma } from '../generated/prisma/client.js';
import { query } from '../sql/query.js';

// The row of a chain's cursor is the lock of everything that was read of the chain. For the order of all locks see "The
// order of locks" in the README of this package. Each lock holds until the caller's transaction ends.

/**
 * Locks a chain shared: no block that was read is rolled back; new blocks may come. Whatever follows from a block (a
 * binding, a final origin, a final delivery, an expiry) is looked up and written under this lock.
 */
export async function lockChainShared(tx: Prisma.TransactionClient, chainId: number): Promise<void> {
  await query(tx)`SELECT 1 FROM chain_cursor WHERE chain_id = ${chainId} FOR KEY SHARE`;
}

/** Locks a chain exclusively, to roll blocks back. Waits for all shared locks and lets no other begin. */
export async function lockChainExclusive(tx: Prisma.TransactionClient, chainId: number): Promise<void> {
  await query(tx)`SELECT 1 FROM chain_cursor WHERE chain_id = ${chainId} FOR UPDATE`;
}

/** Locks all chains exclusively, in the order of their ids, to halt the deliveries or to lift that halt. */
export async function lockAllChainsExclusive(tx: Prisma.TransactionClient): Promise<void> {
  await query(tx)`SELECT 1 FROM chain_cursor ORDER BY chain_id FOR UPDATE`;
}

/**
 * Locks both chains of an operation shared. Whatever moves an operation towards its payment is written under this lock:
 * no operator halts a chain, or rolls its blocks back, in the meantime.
 *
 * @returns false when one of the chains is halted: the caller must write nothing.
 */
export async function lockUnhaltedChains(tx: Prisma.TransactionClient, operationId: string): Promise<boolean> {
  const rows = await query<{ halted: boolean }>(tx)`
    SELECT c.halted_at IS NOT NULL AS halted FROM chain_cursor c
    WHERE c.chain_id IN (SELECT unnest(ARRAY[o.origin_chain_id, o.destination_chain_id]) FROM operation o WHERE o.id = ${operationId})
    ORDER BY c.chain_id FOR KEY SHARE OF c`;
  return rows.every(({ halted }) => !halted);
}

/**
 * Locks all chains shared, for what many operations share.
 *
 * @returns false when a chain is halted: the caller must write nothing.
 */
export async function lockAllUnhaltedChains(tx: Prisma.TransactionClient): Promise<boolean> {
  const rows = await query<{ halted: boolean }>(tx)`
    SELECT halted_at IS NOT NULL AS halted FROM chain_cursor ORDER BY chain_id FOR KEY SHARE`;
  return rows.every(({ halted }) => !halted);
}

/**
 * As `lockAllUnhaltedChains`, for what signs a transaction: no operator halts the deliveries in the meantime, either.
 *
 * @returns false when a chain, or the deliveries, are halted: the caller must sign nothing.
 */
export async function lockAllSendingChains(tx: Prisma.TransactionClient): Promise<boolean> {
  const rows = await query<{ halted: boolean }>(tx)`
    SELECT halted_at IS NOT NULL OR deliveries_halted_at IS NOT NULL AS halted
    FROM chain_cursor ORDER BY chain_id FOR KEY SHARE`;
  return rows.every(({ halted }) => !halted);
}
