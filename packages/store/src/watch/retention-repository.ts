import { appendAudit, RETIRE_AUDIT } from '../audit/audit-log.js';
import type { Prisma, PrismaClient } from '../generated/prisma/client.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import { execute, query } from '../sql/query.js';

/** The records that the relayer can remove once they are old. For the exceptions see `docs/decisions/store.md`. */
export const RETAINED = ['rawTransactions', 'journal', 'notifications', 'requests', 'verdicts', 'audit'] as const;

/** A kind of ended records. */
export type Retained = (typeof RETAINED)[number];

/** Most rows of one transaction. */
export const RETENTION_BATCH = 500;

/**
 * Removes ended records that are old. Triggers refuse the removal of anything that a payment may still need. Each query
 * takes the oldest rows first, by an index, and then filters them, so that it does not scan the rows that are kept.
 */
export class RetentionRepository {
  constructor(private readonly prisma: PrismaClient) {}

  /**
   * Removes at most `RETENTION_BATCH` records that ended before a time.
   *
   * @returns how many. 0: nothing else is old enough.
   */
  async remove(fence: Fence, kind: Retained, before: Date): Promise<number> {
    return fencedTransaction(this.prisma, fence, async (tx) => REMOVALS[kind](tx, before));
  }
}

type Removal = (tx: Prisma.TransactionClient, before: Date) => Promise<number>;

const REMOVALS: Readonly<Record<Retained, Removal>> = {
  rawTransactions: async (tx, before) =>
    execute(tx)`
      UPDATE signed_transaction SET raw = '0x' WHERE tx_hash IN (
        SELECT t.tx_hash
        FROM (SELECT tx_hash, call_id FROM signed_transaction WHERE raw <> '0x' ORDER BY call_id LIMIT ${RETENTION_BATCH}) t
        CROSS JOIN LATERAL (SELECT ended_at FROM wallet_call WHERE id = t.call_id OFFSET 0) c
        WHERE c.ended_at < ${before}::timestamptz)`,
  journal: removeCalls,
  notifications: async (tx, before) =>
    execute(tx)`
      DELETE FROM notification WHERE id IN (
        SELECT id FROM notification WHERE ended_at < ${before}::timestamptz ORDER BY ended_at LIMIT ${RETENTION_BATCH})`,
  requests: removeRequests,
  verdicts: async (tx, before) => {
    const answers = await execute(tx)`
      DELETE FROM attester_answer a USING operation o
      WHERE o.id = a.subject_id AND o.status IN ('COMPLETED', 'FAILED', 'EXPIRED') AND a.answered_at < ${before}::timestamptz
        AND NOT EXISTS (SELECT 1 FROM refund r WHERE r.id = a.subject_id AND r.status NOT IN ('COMPLETED', 'REFUSED'))`;
    const delays = await execute(tx)`
      DELETE FROM operation_delay d USING (
        SELECT operation_id, since FROM operation_delay WHERE ended_at < ${before}::timestamptz
        ORDER BY ended_at LIMIT ${RETENTION_BATCH}) old, LATERAL (
        SELECT status FROM operation WHERE id = old.operation_id OFFSET 0) o
      WHERE d.operation_id = old.operation_id AND d.since = old.since AND o.status IN ('COMPLETED', 'FAILED', 'EXPIRED')`;
    return answers + delays;
  },
  audit: removeAudit,
};

/**
 * Removes ended deliveries and filled nonce gaps. Kept are the calls after the beginning of the oldest open operation,
 * refund or undecided transfer: the relayer looks for payments of a refund that the journal lacks from its arrival on.
 * The last call of a wallet stays, because the journal's highest nonce shows that the journal is complete.
 */
async function removeCalls(tx: Prisma.TransactionClient, before: Date): Promise<number> {
  const calls = await query<{ id: string }>(tx)`
    WITH oldest AS (
      SELECT id, chain_id, sender, nonce, ended_at FROM wallet_call
      WHERE purpose IN ('DELIVERY', 'NONCE_GAP') AND state IN ('SUCCEEDED', 'REVERTED', 'CANCELLED')
      ORDER BY id LIMIT ${RETENTION_BATCH}),
    open AS (
      SELECT least(${before}::timestamptz,
        (SELECT min(created_at) FROM operation WHERE status NOT IN ('COMPLETED', 'FAILED', 'EXPIRED')),
        (SELECT min(o.created_at) FROM refund r JOIN operation o ON o.id = r.operation_id
         WHERE r.status IN ('REQUESTED', 'APPROVED', 'PENDING')),
        (SELECT min(mined_at) FROM inbound_transfer WHERE operation_id IS NULL)) AS since)
    SELECT c.id FROM oldest c, open
    WHERE c.ended_at < open.since
      AND EXISTS (SELECT 1 FROM wallet_call n WHERE n.chain_id = c.chain_id AND n.sender = c.sender AND n.nonce > c.nonce)`;
  const ids = calls.map(({ id }) => BigInt(id));
  if (ids.length === 0) return 0;
  await execute(tx)`DELETE FROM call_operation WHERE call_id = ANY (${ids})`;
  await execute(tx)`DELETE FROM signed_transaction WHERE call_id = ANY (${ids})`;
  await execute(tx)`DELETE FROM wallet_fee WHERE minute < ${before}::timestamptz`;
  return execute(tx)`DELETE FROM wallet_call WHERE id = ANY (${ids})`;
}

/** Removes ended requests. Kept are those that an open refund or an intent that has not ended relies on. */
async function removeRequests(tx: Prisma.TransactionClient, before: Date): Promise<number> {
  const requests = await query<{ id: string }>(tx)`
    SELECT r.id FROM (SELECT id, ended_at FROM admin_request ORDER BY created_at, id LIMIT ${RETENTION_BATCH}) r
    WHERE r.ended_at < ${before}::timestamptz
      AND r.id NOT IN (SELECT approved_by FROM refund
        WHERE status IN ('REQUESTED', 'APPROVED', 'PENDING') AND approved_by IS NOT NULL)
      AND r.id NOT IN (SELECT i.rejected_by FROM intent i JOIN operation o ON o.id = i.id
        WHERE i.rejected_by IS NOT NULL AND o.status NOT IN ('COMPLETED', 'FAILED', 'EXPIRED'))`;
  const ids = requests.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await execute(tx)`DELETE FROM admin_approval WHERE request_id = ANY (${ids})`;
  return execute(tx)`DELETE FROM admin_request WHERE id = ANY (${ids})`;
}

/** Removes a whole batch from the beginning of the log. A new row of the log names the last removed one. */
async function removeAudit(tx: Prisma.TransactionClient, before: Date): Promise<number> {
  const [last] = await query<{ sequence: string; hash: string; at: Date }>(tx)`
    SELECT sequence, hash, at FROM admin_audit ORDER BY sequence OFFSET ${RETENTION_BATCH - 1} LIMIT 1`;
  if (last === undefined || last.at >= before) return 0;
  const removed = { sequence: Number(last.sequence), hash: last.hash };
  await appendAudit(tx, { actor: null, role: null, sessionId: null, action: RETIRE_AUDIT, after: removed });
  return execute(tx)`DELETE FROM admin_audit WHERE sequence <= ${BigInt(last.sequence)}`;
}
