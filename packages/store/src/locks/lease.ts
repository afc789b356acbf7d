import { DatabaseError, type Pool } from 'pg';
import type { Prisma, PrismaClient } from '../generated/prisma/client.js';
import { notification } from './wake-ups.js';
import { query } from '../sql/query.js';

/** Proof of holding a lease. Every write of the pipeline carries it. */
export interface Fence {
  readonly name: string;
  readonly token: bigint;
}

/**
 * Another process holds the lease, or may hold it because it was not renewed in time. This process must stop writing.
 */
export class FenceLostError extends Error {
  override readonly name = 'FenceLostError';
  constructor(readonly fence: Fence) {
    super(`This process does not hold the lease ${fence.name} with token ${fence.token}`);
  }
}

/**
 * Runs `work` in one database transaction that commits only while the fence is valid. An old holder can never write
 * after a takeover: this lock conflicts only with the lock of a takeover. A renewal never waits for it, however long
 * the transaction lasts. A promoted replica can lack the holder's last writes, so a lease ends with the server that
 * gave it.
 *
 * @throws FenceLostError when another process holds the lease, or another server answers.
 */
export async function fencedTransaction<T>(
  prisma: PrismaClient,
  fence: Fence,
  work: (tx: Prisma.TransactionClient) => Promise<T>,
): Promise<T> {
  return prisma.$transaction(async (tx) => {
    const held = await query(tx)`
      SELECT 1 FROM lease WHERE name = ${fence.name} AND token = ${fence.token}
        AND server_started_at = pg_postmaster_start_time() FOR KEY SHARE`;
    if (held.length === 0) throw new FenceLostError(fence);
    return work(tx);
  });
}

/** SQLSTATE lock_not_available: a transaction of the old holder did not end within the lock timeout. */
const LOCK_NOT_AVAILABLE = '55P03';

/** The lease to run the pipeline. Of several relayers, one holds the lease and the others are passive. */
export class LeaseRepository {
  /** By lease name: this process's token, and until when it is certainly held, by this machine's monotonic clock. */
  private readonly held = new Map<string, { readonly token: bigint; readonly untilMs: number }>();

  /** @param pool a separate pool, so that stages that use all other connections do not delay a renewal. */
  constructor(private readonly pool: Pool) {}

  /**
   * Renews the lease for its holder, or takes a free or expired lease. On another server than before, the holder gets
   * it with a new token.
   *
   * @param ttlMs how long the lease lasts without a renewal, by the database's clock.
   * @returns the fence for writes; null while another holder's lease is valid, or its last transaction is open.
   */
  async acquire(name: string, holder: string, ttlMs: number): Promise<Fence | null> {
    const askedAtMs = performance.now();
    const token = (await this.renew(name, holder, ttlMs)) ?? (await this.takeFree(name, holder, ttlMs));
    if (token === null) {
      this.held.delete(name);
      return null;
    }
    // The database counts from a later moment, so `untilMs` never outlasts the lease.
    this.held.set(name, { token, untilMs: askedAtMs + ttlMs });
    return { name, token };
  }

  /**
   * Checks without a query that this process holds the lease. Call it right before an irreversible action outside the
   * database, such as a broadcast: it catches a process that was frozen.
   *
   * @throws FenceLostError when the lease was not renewed in time, or was lost.
   */
  assertHeld(fence: Fence): void {
    const held = this.held.get(fence.name);
    if (held?.token !== fence.token || performance.now() >= held.untilMs) throw new FenceLostError(fence);
  }

  /** Whether any process holds the lease now. */
  async isHeld(name: string): Promise<boolean> {
    const { rowCount } = await this.pool.query('SELECT 1 FROM lease WHERE name = $1 AND expires_at > now()', [name]);
    return rowCount === 1;
  }

  /** Ends the lease, and wakes the passive relayers. */
  async release(fence: Fence): Promise<void> {
    this.held.delete(fence.name);
    await this.pool.query(
      `WITH released AS (UPDATE lease SET expires_at = '-infinity' WHERE name = $1 AND token = $2 RETURNING 1)
       SELECT ${notification('lease')} FROM released`,
      [fence.name, fence.token.toString()],
    );
  }

  /** Updates no key column, so the locks of fenced transactions do not delay it. */
  private async renew(name: string, holder: string, ttlMs: number): Promise<bigint | null> {
    return this.readToken(
      `UPDATE lease SET expires_at = now() + $3 * interval '1 millisecond' WHERE name = $1 AND holder = $2
         AND server_started_at = pg_postmaster_start_time() RETURNING token`,
      [name, holder, ttlMs],
    );
  }

  /**
   * A takeover. FOR UPDATE waits for the fenced transactions of the old holder. PostgreSQL rechecks `expires_at` under
   * the lock, so a renewal in the meantime keeps the lease.
   */
  private async takeFree(name: string, holder: string, ttlMs: number): Promise<bigint | null> {
    await this.pool.query(
      `INSERT INTO lease (name, holder, token, expires_at, server_started_at)
       VALUES ($1, '', 0, '-infinity', pg_postmaster_start_time()) ON CONFLICT DO NOTHING`,
      [name],
    );
    try {
      return await this.readToken(
        `WITH free AS (SELECT name FROM lease WHERE name = $1 AND (expires_at < now() OR holder = $2) FOR UPDATE)
         UPDATE lease SET holder = $2, token = token + 1, expires_at = clock_timestamp() + $3 * interval '1 millisecond',
           server_started_at = pg_postmaster_start_time()
         FROM free WHERE lease.name = free.name RETURNING token`,
        [name, holder, ttlMs],
      );
    } catch (error) {
      if (error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE) return null;
      throw error;
    }
  }

  private async readToken(text: string, values: unknown[]): Promise<bigint | null> {
    const { rows } = await this.pool.query<{ token: string }>(text, values);
    return rows[0] === undefined ? null : BigInt(rows[0].token);
  }
}
