import type { Prisma } from '../generated/prisma/client.js';
import type { PrismaClient } from '../generated/prisma/client.js';

/** Proof of holding a lease: every write of the pipeline carries it. */
export interface Fence {
  readonly name: string;
  readonly token: bigint;
}

/** Another process holds the lease now; this one must stop writing. */
export class FenceLostError extends Error {
  override readonly name = 'FenceLostError';
  constructor(readonly fence: Fence) {
    super(`The lease ${fence.name} with token ${fence.token} is held by another process now`);
  }
}

/**
 * Runs `work` in one database transaction that commits only while the fence still holds. The lease row is locked for
 * sharing, so a replace-transaction waits for this transaction: an old holder can never write after a new one began.
 *
 * @throws FenceLostError when another holder took over.
 */
export async function fencedTransaction<T>(
  prisma: PrismaClient,
  fence: Fence,
  work: (tx: Prisma.TransactionClient) => Promise<T>,
): Promise<T> {
  return prisma.$transaction(async (tx) => {
    const held = await tx.$queryRaw<unknown[]>`
      SELECT 1 FROM lease WHERE name = ${fence.name} AND token = ${fence.token} FOR SHARE`;
    if (held.length === 0) throw new FenceLostError(fence);
    return work(tx);
  });
}
