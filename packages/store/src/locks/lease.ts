import type { Pool } from 'pg';
import type { Prisma, PrismaClient } from '../generated/prisma/client.js';

/** Proof of holding a lease. Every write of the pipeline carries it. */
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
 * Runs `work` in one database transaction that commits only while the fence still holds. It locks the lease row shared,
 * so a change of holder waits for this transaction. An old holder can never write after a new one began.
 *
 * @throws FenceLostError when another process holds the lease.
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

/** The right to run the pipeline. When several relayers run, one holds the lease and the others stand by. */
export class LeaseRepository {
  constructor(private readonly pool: Pool) {}

  /**
   * Takes the lease when it is free or expired, or renews it for its holder.
   *
   * @param ttlMs how long it holds without a renewal. The database's clock decides, not the caller's.
   * @returns the fence to write with; null while another holder's lease is valid.
   */
  async acquire(name: string, holder: string, ttlMs: number): Promise<Fence | null> {
    const { rows } = await this.pool.query<{ token: string }>(
      `INSERT INTO lease (name, holder, token, expires_at)
       VALUES ($1, $2, 1, now() + $3 * interval '1 millisecond')
       ON CONFLICT (name) DO UPDATE SET
         holder = excluded.holder,
         token = CASE WHEN lease.holder = excluded.holder THEN lease.token ELSE lease.token + 1 END,
         expires_at = excluded.expires_at
       WHERE lease.holder = excluded.holder OR lease.expires_at < now()
       RETURNING token`,
      [name, holder, ttlMs],
    );
    return rows[0] === undefined ? null : { name, token: BigInt(rows[0].token) };
  }

  /** Whether any process holds the lease now. */
  async isHeld(name: string): Promise<boolean> {
    const { rowCount } = await this.pool.query('SELECT 1 FROM lease WHERE name = $1 AND expires_at > now()', [name]);
    return rowCount === 1;
  }

  /** Ends the lease immediately, so that a standby relayer need not wait until it expires. */
  async release(fence: Fence): Promise<void> {
    await this.pool.query(`UPDATE lease SET expires_at = '-infinity' WHERE name = $1 AND token = $2`, [
      fence.name,
      fence.token.toString(),
    ]);
  }
}
