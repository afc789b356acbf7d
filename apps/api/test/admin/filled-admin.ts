import { afterAll, beforeAll } from '@jest/globals';
import { adminOperationsResponseSchema } from '@causeway/protocol/admin';
import { ETHEREUM, PARTNER } from '@causeway/test-kit';
import { Pool } from 'pg';
import type { Hex } from 'viem';
import { fillStore } from '../../../../packages/store/bench/large-store.js';
import { insertFailed } from './rows.js';
import { temporaryAdmin, type SignedIn, type TemporaryAdmin } from './temporary-admin.js';

// The admin API on a database like after months of operation. No node answers; see reads-nodes.test.ts. Each importing
// test file has its own.

export let t: TemporaryAdmin;
export let sql: Pool;
export let viewer: SignedIn;
/** Text that an attacker could store: in reasons, names and notes. */
export const HOSTILE = `=HYPERLINK("http://evil") <script>alert(1)</script>`;
/** A transfer that pays no intent, and its refund. */
export const FAILED: Hex = `0x${'f'.repeat(64)}`;

beforeAll(async () => {
  t = await temporaryAdmin();
  sql = new Pool({ connectionString: t.databaseUrl });
  sql.on('error', () => undefined);
  await sql.query('DELETE FROM chain_cursor');
  await fillStore(sql, { ended: 300, pending: 6 });
  await sql.query(`INSERT INTO operation_delay (operation_id, since, reason)
    SELECT id, delayed_since, delayed_reason FROM operation WHERE status = 'DELAYED'`);
  await insertFailed(sql, FAILED);
  await sql.query('DELETE FROM xcn_total');
  await sql.query(`
    INSERT INTO xcn_total SELECT ${PARTNER}, n, ${ETHEREUM}, n, n * 10, n, now() - (1200 - n) * interval '1 hour' FROM generate_series(1, 1200) n`);
  viewer = await t.signedIn('viewer');
});
afterAll(async () => {
  await sql?.end();
  await t?.close();
});

/** Reads a path as a viewer. */
export async function get<T>(schema: { parse: (value: unknown) => T }, path: string): Promise<T> {
  const { status, body, text } = await viewer.get(path);
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  return schema.parse(body);
}

/** A page of the list of operations. */
export const list = async (query: string) => get(adminOperationsResponseSchema, `/operations?${query}`);
