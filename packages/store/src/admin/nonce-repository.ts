import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { execute, query } from '../sql/query.js';

/** The key that signs nonces, and the time at which it was read. */
export interface NonceKey {
  readonly key: Uint8Array;
  /** By the database's clock, which all processes share. */
  readonly now: Date;
}

const KEY_BYTES = 32;

/** The nonces of Sign-In with Ethereum: the key that signs them, and the used nonces. */
export class AdminNonceRepository {
  constructor(private readonly pool: Pool) {}

  /** Reads the key that all processes share. The first process creates it. */
  async key(): Promise<NonceKey> {
    return (await this.findKey()) ?? this.makeKey();
  }

  /**
   * Marks a nonce as used. Of several requests with the same nonce, one succeeds.
   *
   * A row outlives its nonce by a minute, so that a slow request still finds it.
   *
   * @returns false when the nonce was used before, or has expired.
   */
  async use(nonce: string, expiresAt: Date): Promise<boolean> {
    await execute(this.pool, { text: `DELETE FROM admin_nonce WHERE expires_at <= now() - interval '1 minute'` });
    const count = await execute(this.pool, {
      text: 'INSERT INTO admin_nonce (nonce, expires_at) SELECT $1, $2::timestamptz WHERE $2::timestamptz > now() ON CONFLICT DO NOTHING',
      values: [nonce, expiresAt],
    });
    return count === 1;
  }

  private async findKey(): Promise<NonceKey | null> {
    const rows = await query<{ key: Buffer; now: Date }>(this.pool, {
      text: 'SELECT key, now() AS now FROM admin_nonce_key',
    });
    return rows[0] ?? null;
  }

  private async makeKey(): Promise<NonceKey> {
    const text = 'INSERT INTO admin_nonce_key (key) VALUES ($1) ON CONFLICT DO NOTHING';
    await execute(this.pool, { text, values: [randomBytes(KEY_BYTES)] });
    // Another process may have inserted the key first.
    const made = await this.findKey();
    if (made === null) throw new Error('The database did not store the key that signs nonces');
    return made;
  }
}
