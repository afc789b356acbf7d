import { canonicalJson, type CanonicalValue } from '@causeway/protocol';
import type { AdminRole } from '@causeway/protocol/admin';
import { keccak256, stringToBytes, type Address, type Hex } from 'viem';
import { Prisma, type AdminAudit } from '../generated/prisma/client.js';
import type { ColumnsOf } from '../sql/columns.js';
import { execute, query, sql } from '../sql/query.js';
import { valuesInSql } from '../sql/rows-in-sql.js';

/** The action of a person or a process. It can contain untrusted text from chains and users. */
export interface AuditEntry {
  /** Null for the relayer, and for a command with an unknown operator. */
  readonly actor: Address | null;
  readonly role: AdminRole | null;
  /** Null without a session, such as for a command. */
  readonly sessionId: string | null;
  /** Such as `sign-in`: lower-case words with hyphens, at most 40 characters. */
  readonly action: string;
  /** The operation, refund, intent, request, session or member. */
  readonly subject?: string | null;
  /** The state before the action; amounts as text. */
  readonly before?: CanonicalValue;
  readonly after?: CanonicalValue;
  readonly reason?: string | null;
  readonly txHash?: Hex | null;
}

/** A row of the audit log. */
export interface AuditRow extends Required<AuditEntry> {
  /** From 1, without gaps. */
  readonly sequence: number;
  readonly at: Date;
  readonly previousHash: Hex;
  readonly hash: Hex;
}

/** The action of the row that names the last row that retention removed, in `after`: its `sequence` and `hash`. */
export const RETIRE_AUDIT = 'retire-audit';

/** The hash before the first row. */
export const FIRST_PREVIOUS_HASH: Hex = `0x${'0'.repeat(64)}`;

/**
 * The hash of a row: keccak256 of the UTF-8 bytes of the canonical JSON (RFC 8785) of all its columns without `hash`,
 * under the names of `GET /audit`. `at` is ISO 8601 in UTC with milliseconds. An absent value is null.
 */
export function hashRow(row: Omit<AuditRow, 'hash'>): Hex {
  const { sequence, at, actor, role, sessionId, action, subject, before, after, reason, txHash, previousHash } = row;
  const rest = { sequence, actor, role, sessionId, action, subject, before, after, reason, txHash, previousHash };
  const columns = { ...rest, at: at.toISOString() } satisfies Record<Exclude<keyof AdminAudit, 'hash'>, unknown>;
  return keccak256(stringToBytes(canonicalJson(columns)));
}

/** The newest row, and the database's time. */
interface Head {
  readonly now: Date;
  readonly sequence: string | null;
  readonly hash: Hex | null;
}

/**
 * Appends a row in the caller's transaction, so that it commits together with the effect that it describes. Writers
 * wait for each other from here to the end of the transaction, so call it last.
 */
export async function appendAudit(tx: Prisma.TransactionClient, entry: AuditEntry): Promise<AuditRow> {
  await execute(tx)`SELECT pg_advisory_xact_lock(hashtextextended('admin_audit', 0))`;
  // A separate statement, so that it sees rows committed while the first statement waited.
  const [head] = await query<Head>(tx)`
    SELECT date_trunc('milliseconds', clock_timestamp()) AS now, newest.sequence, newest.hash
    FROM (SELECT 1) AS one
    LEFT JOIN (SELECT sequence, hash FROM admin_audit ORDER BY sequence DESC LIMIT 1) newest ON true`;
  if (head === undefined) throw new Error('The database returned no time');
  const {
    actor,
    role,
    sessionId,
    action,
    subject = null,
    before = null,
    after = null,
    reason = null,
    txHash = null,
  } = entry;
  const unhashed = {
    sequence: Number(head.sequence ?? 0) + 1,
    at: head.now,
    actor,
    role,
    sessionId,
    action,
    subject,
    before: storable(before),
    after: storable(after),
    reason: storable(reason),
    txHash,
    previousHash: head.hash ?? FIRST_PREVIOUS_HASH,
  };
  const row = { ...unhashed, hash: hashRow(unhashed) };
  const columns = {
    sequence: row.sequence,
    at: row.at,
    actor,
    role: sql`${role}::"AdminRole"`,
    session_id: sql`${sessionId}::uuid`,
    action,
    subject,
    before: sql`${toJson(row.before)}::jsonb`,
    after: sql`${toJson(row.after)}::jsonb`,
    reason: row.reason,
    tx_hash: txHash,
    previous_hash: row.previousHash,
    hash: row.hash,
  } satisfies ColumnsOf<AdminAudit>;
  await execute(tx)`INSERT INTO admin_audit ${valuesInSql(columns)}`;
  return row;
}

/** The value as PostgreSQL can store it: NUL and lone surrogates, which it rejects, become U+FFFD. */
function storable<T extends CanonicalValue>(value: T): T {
  const clean = (_name: string, each: unknown) =>
    typeof each === 'string' ? each.toWellFormed().replaceAll('\0', '\uFFFD') : each;
  return JSON.parse(canonicalJson(value), clean) as T;
}

/** An absent value is SQL NULL, not JSON null. */
function toJson(value: CanonicalValue): string | null {
  return value === null ? null : canonicalJson(value);
}
