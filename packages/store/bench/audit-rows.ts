import type { PoolClient } from 'pg';
import { FIRST_PREVIOUS_HASH, hashRow, type AuditRow } from '../dist/audit/audit-log.js';
import { BUSY, NOW, WALLET } from './rows-in-sql.ts';

/** An unbroken audit log: an approval for each refund. */
export async function insertAudit(client: PoolClient, count: number): Promise<void> {
  let previousHash = FIRST_PREVIOUS_HASH;
  const rows: AuditRow[] = [];
  for (let sequence = 1; sequence <= count; sequence += 1) {
    const [actor, role, subject] = [WALLET, 'operator', `0x${sequence.toString(16).padStart(64, '0')}`] as const;
    const before = { refund: { id: subject, status: 'REQUESTED', amount: '2000', payer: BUSY } };
    const after = {
      requestId: subject,
      state: 'QUEUED',
      outcome: null,
      requestedBy: actor,
      approvedBy: [WALLET, BUSY],
    };
    const reason = 'the sender asked for it, see the ticket';
    const at = new Date(NOW.getTime() - 90 * 86_400_000 - (count - sequence) * 4_000);
    const unhashed = {
      sequence,
      at,
      actor,
      role,
      sessionId: null,
      action: 'approve',
      subject,
      before,
      after,
      reason,
      txHash: null,
      previousHash,
    };
    previousHash = hashRow(unhashed);
    rows.push({ ...unhashed, hash: previousHash });
  }
  const columns = 'sequence, at, actor, role, action, subject, before, after, reason, previous_hash, hash';
  for (let first = 0; first < rows.length; first += 5_000)
    await client.query(
      `INSERT INTO admin_audit (${columns}) SELECT sequence, at, actor, role, action, subject, before, after, reason, "previousHash", hash
       FROM jsonb_to_recordset($1) AS r (sequence bigint, at timestamptz, actor text, role "AdminRole", action text, subject text,
         before jsonb, after jsonb, reason text, "previousHash" text, hash text)`,
      [JSON.stringify(rows.slice(first, first + 5_000))],
    );
}
