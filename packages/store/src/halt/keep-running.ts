import type { Prisma } from '../generated/prisma/client.js';

/**
 * Whether neither chain of an operation is halted. When so, nobody halts one, or takes back what was read of one, until
 * the caller's transaction ends: whatever moves an operation towards money is written under this lock. Where it stands
 * among the others: see "The order of locks" in the README of this package.
 */
export async function lockUnhaltedChains(tx: Prisma.TransactionClient, operationId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<{ halted: boolean }[]>`
    SELECT c.halted_at IS NOT NULL AS halted FROM chain_cursor c
    WHERE c.chain_id IN (SELECT unnest(ARRAY[o.origin_chain_id, o.destination_chain_id]) FROM operation o WHERE o.id = ${operationId})
    ORDER BY c.chain_id FOR KEY SHARE OF c`;
  return rows.every(({ halted }) => !halted);
}

/** Likewise for what many operations share: whether no chain is halted. */
export async function lockAllUnhaltedChains(tx: Prisma.TransactionClient): Promise<boolean> {
  const rows = await tx.$queryRaw<{ halted: boolean }[]>`
    SELECT halted_at IS NOT NULL AS halted FROM chain_cursor ORDER BY chain_id FOR KEY SHARE`;
  return rows.every(({ halted }) => !halted);
}
