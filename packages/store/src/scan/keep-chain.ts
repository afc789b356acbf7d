import type { Prisma } from '../generated/prisma/client.js';

// The row of a chain's cursor is the lock of what was read of the chain. Where it stands among the other locks: see "The
// order of locks" in the README of this package.

/**
 * Until the caller's transaction ends, nothing that was read of the chain is taken back; new blocks may come. Whatever is
 * concluded from a block (a pair, a final origin, a final delivery, an expiry) is looked up and written under this lock.
 */
export async function lockChainShared(tx: Prisma.TransactionClient, chainId: number): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM chain_cursor WHERE chain_id = ${chainId} FOR KEY SHARE`;
}

/** Waits for all who keep the chain and lets none begin until the caller's transaction ends: for taking blocks back. */
export async function lockChainExclusive(tx: Prisma.TransactionClient, chainId: number): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM chain_cursor WHERE chain_id = ${chainId} FOR UPDATE`;
}
