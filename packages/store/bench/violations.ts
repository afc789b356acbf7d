import type { ClientBase } from 'pg';

// The rules that triggers and foreign keys enforce row by row, over a whole database. `fillStore` disables both.

/** Queries of rows that break a rule. */
const RULES: Readonly<Record<string, string>> = {
  'a retirement is the sum of its burns': `SELECT r.id FROM retirement r LEFT JOIN (SELECT t.retirement_id, sum(o.amount) AS amount
      FROM retired_operation t JOIN operation o ON o.id = t.operation_id GROUP BY 1) s ON s.retirement_id = r.id
    WHERE r.state <> 'FAILED' AND r.amount IS DISTINCT FROM s.amount`,
  'a retired burn is completed, of its token and in one place': `SELECT o.id FROM operation o
    LEFT JOIN (retired_operation t JOIN retirement r ON r.id = t.retirement_id) ON t.operation_id = o.id
    LEFT JOIN unretired_burn u ON u.operation_id = o.id
    WHERE CASE WHEN o.kind <> 'BURN' THEN t.operation_id IS NOT NULL OR u.operation_id IS NOT NULL
      WHEN t.operation_id IS NULL THEN u.operation_id IS NULL
      ELSE u.operation_id IS NOT NULL OR o.status <> 'COMPLETED' OR r.asset::text <> o.asset::text OR r.chain_id <> o.origin_chain_id END`,
  'a sweep is the sum of its transfers': `SELECT s.id FROM sweep s LEFT JOIN (SELECT sweep_id, sum(amount) AS amount
      FROM inbound_transfer GROUP BY 1) t ON t.sweep_id = s.id WHERE s.state <> 'FAILED' AND s.amount IS DISTINCT FROM t.amount`,
  'the fees of a minute are those of its calls': `SELECT 1 FROM (SELECT chain_id, sender, date_trunc('minute', ended_at) AS minute,
      sum(fee_paid) AS fee_paid FROM wallet_call WHERE fee_paid IS NOT NULL GROUP BY 1, 2, 3) c
    FULL JOIN wallet_fee f USING (chain_id, sender, minute) WHERE c.fee_paid IS DISTINCT FROM f.fee_paid`,
  'the nonces of a wallet have no gap': `SELECT sender FROM wallet_call GROUP BY chain_id, sender
    HAVING min(nonce) <> 0 OR max(nonce) <> count(*) - 1`,
  'a completed operation was paid by one call': `SELECT o.id FROM operation o LEFT JOIN (call_operation l JOIN wallet_call c ON c.id = l.call_id
      AND c.state = 'SUCCEEDED' AND c.purpose = 'DELIVERY') ON l.operation_id = o.id AND l.freed_at IS NULL
    WHERE o.status = 'COMPLETED' AND (c.id IS NULL OR c.chain_id <> o.destination_chain_id OR c.tx_hash <> o.destination_tx_hash)`,
  'a call has its transaction': `SELECT c.id FROM wallet_call c WHERE NOT EXISTS (SELECT 1 FROM signed_transaction t
    WHERE t.call_id = c.id AND (c.tx_hash IS NULL OR t.tx_hash = c.tx_hash))`,
  'a failed operation has its refund': `SELECT o.id FROM operation o LEFT JOIN refund r ON r.id = o.refund_id AND r.operation_id = o.id
    WHERE o.status = 'FAILED' AND r.id IS NULL`,
  'a history is numbered without gaps': `SELECT p.address FROM (SELECT address, count(*) AS n, max(sequence) AS last FROM operation_party GROUP BY 1) p
    FULL JOIN party_counter c USING (address) WHERE p.n <> p.last OR c.total IS DISTINCT FROM p.n OR c.total <> c.deposits + c.withdrawals`,
  'a request has the approvals that it needed': `SELECT r.id FROM admin_request r WHERE r.state = 'DONE'
    AND (SELECT count(*) FROM admin_approval a WHERE a.request_id = r.id) < r.approvals_needed`,
  'a delivery has a verdict': `SELECT e.tx_hash FROM chain_event e JOIN operation o ON o.id = e.operation_id
    WHERE o.status = 'COMPLETED' AND e.name IN ('Mint', 'Release') AND e.verdict IS NULL`,
};

/** The foreign keys and rules that rows of a database break, by name. */
export async function findViolations(sql: ClientBase): Promise<string[]> {
  const { rows } = await sql.query<{ name: string; orphans: string }>(`
    SELECT conname AS name, format('SELECT 1 FROM %s c WHERE ROW(%s) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM %s p WHERE ROW(%s) = ROW(%s))',
      conrelid::regclass, own, confrelid::regclass, own, parent) AS orphans
    FROM pg_constraint k CROSS JOIN LATERAL (
      SELECT string_agg(format('c.%I', a.attname), ', ' ORDER BY n) AS own, string_agg(format('p.%I', b.attname), ', ' ORDER BY n) AS parent
      FROM unnest(k.conkey, k.confkey) WITH ORDINALITY AS u (own, parent, n)
      JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.own
      JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = u.parent) columns
    WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`);
  const broken: string[] = [];
  for (const [name, text] of [...rows.map((key) => [key.name, key.orphans] as const), ...Object.entries(RULES)])
    if ((await sql.query(`${text} LIMIT 1`)).rowCount !== 0) broken.push(name);
  return broken;
}
