import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { loginUrl } from '@causeway/test-kit';
import { Client } from 'pg';
import { insertAudit } from '../bench/audit-rows.js';
import { ETHEREUM, fillStore, PARTNER, WALLET } from '../bench/large-store.js';
import { findViolations } from '../bench/violations.js';
import { RETENTION_BATCH, type Retained } from '../src/index.js';
import { temporaryStore, type TemporaryStore } from './temporary-store.js';

// Retention in a store whose ended records are two months old.

const ENDED = 1_200;
const AUDIT_ROWS = 550;
const DAY_MS = 86_400_000;
let t: TemporaryStore;
let relayer: Client;
beforeAll(async () => {
  t = await temporaryStore();
  await t.sql.query('DELETE FROM chain_cursor');
  await fillStore(t.sql, { ended: ENDED, pending: 6 });
  const older = (table: string, column = 'ended_at') =>
    `UPDATE ${table} SET ${column} = ${column} - interval '60 days'`;
  await withoutTriggers(
    older('wallet_call'),
    older('wallet_fee', 'minute'),
    older('notification'),
    older('admin_request'),
    older('operation_delay'),
  );
  const client = await t.sql.connect();
  await client.query('SET session_replication_role = replica; DELETE FROM admin_audit');
  await insertAudit(client, AUDIT_ROWS);
  client.release(true);
  relayer = new Client({ connectionString: loginUrl(t.url, 'causeway_relayer') });
  relayer.on('error', () => undefined);
  await relayer.connect();
}, 120_000);
afterAll(async () => {
  await relayer.end();
  await t.close();
});

const withoutTriggers = async (...texts: readonly string[]) =>
  t.sql.query(['BEGIN', 'SET LOCAL session_replication_role = replica', ...texts, 'COMMIT'].join(';'));
const count = async (from: string) =>
  Number((await t.sql.query<{ n: string }>(`SELECT count(*) AS n FROM ${from}`)).rows[0]?.n);
const aMonthAgo = () => new Date(Date.now() - 31 * DAY_MS);
const remove = async (kind: Retained) => t.store.retention.remove(t.fence, kind, aMonthAgo());

/** Removes batches until nothing is old enough. Returns how many rows were removed. */
async function removeAll(kind: Retained): Promise<number> {
  for (let all = 0; ;) {
    const removed = await remove(kind);
    all += removed;
    if (removed === 0) return all;
  }
}

it('empties the bytes of transactions whose call has ended, and keeps their hashes', async () => {
  const all = await count('signed_transaction');
  expect(await remove('rawTransactions')).toBe(RETENTION_BATCH);
  await removeAll('rawTransactions');
  expect(await count('signed_transaction')).toBe(all);
  const isOpen = 'EXISTS (SELECT 1 FROM wallet_call c WHERE c.id = call_id AND c.ended_at IS NULL)';
  expect(await count(`signed_transaction WHERE (raw = '0x') = ${isOpen}`)).toBe(0);
});

it('keeps the journal from the oldest open record on', async () => {
  await withoutTriggers(
    `UPDATE inbound_transfer SET mined_at = mined_at - interval '90 days' WHERE operation_id IS NULL`,
  );
  expect(await remove('journal')).toBe(0);
  await withoutTriggers(
    `UPDATE inbound_transfer SET mined_at = mined_at + interval '90 days' WHERE operation_id IS NULL`,
  );
});

it('removes ended deliveries, and keeps refunds, upkeep, open calls and the last call of a wallet', async () => {
  const nonces = async () =>
    Promise.all([ETHEREUM, PARTNER].map(async (chainId) => t.store.journal.nextNonce({ chainId, address: WALLET })));
  const kept = `wallet_call WHERE purpose NOT IN ('DELIVERY', 'NONCE_GAP') OR ended_at IS NULL`;
  const [before, left, paid] = [await nonces(), await count(kept), await count("operation WHERE status = 'COMPLETED'")];
  expect(await removeAll('journal')).toBe(paid + 1);
  expect(await count('wallet_call')).toBe(left);
  expect(await count(kept)).toBe(left);
  expect(await count('wallet_fee')).toBe(0);
  expect(await nonces()).toEqual(before);
  expect(await findViolations(relayer)).toEqual([
    'the fees of a minute are those of its calls',
    'the nonces of a wallet have no gap',
    'a completed operation was paid by one call',
  ]);
});

it('removes ended notifications and the delays of ended operations', async () => {
  const [notifications, delays] = [await count('notification'), await count('operation_delay')];
  expect(await removeAll('notifications')).toBe(notifications);
  expect(await removeAll('verdicts')).toBe(delays);
  expect(await count('notification_sending')).toBe(0);
});

it('removes ended requests, except one that approved an open refund', async () => {
  await withoutTriggers(`UPDATE refund SET status = 'APPROVED', paid_amount = NULL, gas_fee = NULL, dust = NULL, tx_hash = NULL,
    settled_at = NULL WHERE id = (SELECT min(id) FROM refund)`);
  const requests = await count('admin_request');
  expect(await removeAll('requests')).toBe(requests - 1);
  expect(
    await count(`refund r JOIN admin_request q ON q.id = r.approved_by JOIN admin_approval a ON a.request_id = q.id`),
  ).toBe(2);
});

it('removes the beginning of the audit log, which then proves what was removed', async () => {
  const { rows } = await t.sql.query<{ hash: `0x${string}` }>('SELECT hash FROM admin_audit WHERE sequence = 500');
  const last = { sequence: 500, hash: rows[0]?.hash ?? '0x' } as const;
  expect(await removeAll('audit')).toBe(RETENTION_BATCH);
  expect(await count('admin_audit WHERE sequence <= 500')).toBe(0);
  const { head, broken, removed } = await t.store.adminAudit.verify(last);
  expect({ sequence: head.sequence, broken, removed }).toEqual({
    sequence: AUDIT_ROWS + 1,
    broken: null,
    removed: last,
  });
  const other = { ...last, hash: `0x${'9'.repeat(64)}` } as const;
  expect((await t.store.adminAudit.verify(other)).broken).toMatchObject({ sequence: 500 });
  await withoutTriggers('DELETE FROM admin_audit WHERE sequence = 501');
  expect((await t.store.adminAudit.verify()).broken).toMatchObject({ sequence: 502 });
});

it.each([
  [
    'an open call',
    'DELETE FROM signed_transaction WHERE call_id = (SELECT min(id) FROM wallet_call WHERE ended_at IS NULL)',
  ],
  [
    'the bytes of an open call',
    `UPDATE signed_transaction SET raw = '0x' WHERE call_id = (SELECT min(id) FROM wallet_call WHERE ended_at IS NULL)`,
  ],
  ['other bytes', `UPDATE signed_transaction SET raw = '0x01'`],
  ['a refund', `DELETE FROM wallet_call WHERE purpose = 'REFUND'`],
  ['the operation of an open call', 'DELETE FROM call_operation'],
  ['a request of an open refund', 'DELETE FROM admin_approval'],
  ['a row of the audit log that none names', 'DELETE FROM admin_audit'],
  ['a changed row of the audit log', `UPDATE admin_audit SET reason = 'x'`],
])('the database refuses to remove %s', async (_, statement) => {
  await expect(relayer.query(statement)).rejects.toThrow(/immutable|cannot|not allowed|append-only|permission denied/);
});
