import type { Prisma } from '../generated/prisma/client.js';

/**
 * Locks the counters of addresses until the caller's transaction ends, and makes those that are missing. All that a
 * transaction will need at once, in the order of the addresses: see "The order of locks" in the README of this package.
 */
export async function lockParties(tx: Prisma.TransactionClient, addresses: readonly string[]): Promise<void> {
  if (addresses.length === 0) return;
  // A write that changes nothing locks the row that is there, in the same order as it makes the ones that are not.
  await tx.$executeRaw`
    INSERT INTO party_counter (address)
    SELECT DISTINCT address FROM unnest(${[...addresses]}::text[]) AS party (address) ORDER BY address
    ON CONFLICT (address) DO UPDATE SET total = party_counter.total`;
}
