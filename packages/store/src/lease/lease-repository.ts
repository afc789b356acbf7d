import type { Pool } from 'pg';
import type { Fence } from './fence.js';

/** Who runs the pipeline when several relayers are started: one holds the lease, the others stand by. */
export class LeaseRepository {
  constructor(private readonly pool: Pool) {}

  /**
   * Takes the lease when it is free or expired, or renews it for its holder.
   *
   * @param ttlMs how long it holds without a renewal. The database's clock decides, not the caller's.
   * @returns the fence to write with, or null while another holder's lease runs.
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

  /** Gives the lease up at once, so that a stand-by need not wait for it to expire. */
  async release(fence: Fence): Promise<void> {
    await this.pool.query(`UPDATE lease SET expires_at = '-infinity' WHERE name = $1 AND token = $2`, [
      fence.name,
      fence.token.toString(),
    ]);
  }
}
