import type { Prisma } from '../generated/prisma/client.js';
import { query } from '../sql/query.js';

// A chain's row of `chain_cursor` is the lock of everything read from the chain. For the order of all locks see "The
// order of locks" in the README of this package. Each lock is held until the caller's transaction ends.

/**
 * Locks a chain in shared mode: stored blocks cannot be rolled back, but new blocks can be added. Anything derived from
 * a block (a binding, a final origin, a final delivery, an expiry) is read and written under this lock.
 */
export async function lockChainShared(tx: Prisma.TransactionClient, chainId: number): Promise<void> {
  await query(tx)`SELECT 1 FROM chain_cursor WHERE chain_id = ${chainId} FOR KEY SHARE`;
}

/** Locks a chain exclusively, to roll blocks back. Waits for all shared locks and blocks new ones. */
export async function lockChainExclusive(tx: Prisma.TransactionClient, chainId: number): Promise<void> {
  await query(tx)`SELECT 1 FROM chain_cursor WHERE chain_id = ${chainId} FOR UPDATE`;
}

/** Locks all chains exclusively, ordered by id, to halt the deliveries or to lift that halt. */
export async function lockAllChainsExclusive(tx: Prisma.TransactionClient): Promise<void> {
  await query(tx)`SELECT 1 FROM chain_cursor ORDER BY chain_id FOR UPDATE`;
}

/**
 * Locks both chains of an operation in shared mode. Every step towards payment is written under this lock, so that no
 * operator halts a chain or rolls its blocks back in the meantime.
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
 * Locks all chains in shared mode, for writes to several operations.
 *
 * @returns false when a chain is halted: the caller must write nothing.
 */
export async function lockAllUnhaltedChains(tx: Prisma.TransactionClient): Promise<boolean> {
  const rows = await query<{ halted: boolean }>(tx)`
    SELECT halted_at IS NOT NULL AS halted FROM chain_cursor ORDER BY chain_id FOR KEY SHARE`;
  return rows.every(({ halted }) => !halted);
}

/**
 * Like `lockAllUnhaltedChains`, for signing transactions: it also prevents a halt of the deliveries in the meantime.
 *
 * @returns false when a chain or the deliveries are halted: the caller must sign nothing.
 */
export async function lockAllSendingChains(tx: Prisma.TransactionClient): Promise<boolean> {
  const rows = await query<{ halted: boolean }>(tx)`
    SELECT halted_at IS NOT NULL OR deliveries_halted_at IS NOT NULL AS halted
    FROM chain_cursor ORDER BY chain_id FOR KEY SHARE`;
  return rows.every(({ halted }) => !halted);
}
