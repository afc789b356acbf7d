import type { Pool } from 'pg';

/** Limits of the nonces that have been issued and neither used nor expired. */
export interface NonceLimits {
  readonly lifetimeMs: number;
  readonly ofClient: number;
  readonly inTotal: number;
}

/** What came of asking for a nonce. */
export type NonceIssue =
  { readonly kind: 'issued'; readonly expiresAt: Date } | { readonly kind: 'refused'; readonly by: 'client' | 'total' };

/** The nonces of Sign-In with Ethereum. In the database, so that any process takes what another one issued. */
export class AdminNonceRepository {
  constructor(private readonly pool: Pool) {}

  /**
   * Issues a nonce, and deletes those that have expired. Requests at the same moment may exceed a limit by the size of
   * the pool.
   *
   * @param nonce random.
   */
  async issue(nonce: string, client: string, { lifetimeMs, ofClient, inTotal }: NonceLimits): Promise<NonceIssue> {
    await this.pool.query('DELETE FROM admin_nonce WHERE expires_at <= now()');
    const { rows } = await this.pool.query<{ of_client: number; in_total: number; expires_at: Date | null }>(
      `WITH open AS (SELECT count(*)::int AS in_total, count(*) FILTER (WHERE client = $2)::int AS of_client FROM admin_nonce),
       issued AS (
         INSERT INTO admin_nonce (nonce, client, expires_at)
         SELECT $1, $2, now() + $3 * interval '1 millisecond' FROM open WHERE in_total < $5 AND of_client < $4
         RETURNING expires_at)
       SELECT open.*, issued.expires_at FROM open LEFT JOIN issued ON true`,
      [nonce, client, lifetimeMs, ofClient, inTotal],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('The database returned no row for a nonce');
    if (row.expires_at !== null) return { kind: 'issued', expiresAt: row.expires_at };
    return { kind: 'refused', by: row.of_client >= ofClient ? 'client' : 'total' };
  }

  /**
   * Uses a nonce up. Of several requests with one nonce, one gets it.
   *
   * @returns false when it was never issued, was used, or has expired.
   */
  async consume(nonce: string): Promise<boolean> {
    const { rows } = await this.pool.query<{ fresh: boolean }>(
      'DELETE FROM admin_nonce WHERE nonce = $1 RETURNING expires_at > now() AS fresh',
      [nonce],
    );
    return rows[0]?.fresh === true;
  }
}
