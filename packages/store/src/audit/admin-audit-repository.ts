import type { CanonicalValue } from '@causeway/protocol';
import type { AdminRole } from '@causeway/protocol/admin';
import type { Pool } from 'pg';
import type { Address, Hex } from 'viem';
import type { PrismaClient } from '../generated/prisma/client.js';
import { toPage, type Page, type PageRequest } from '../listing/keyset.js';
import { appendAudit, RETIRE_AUDIT, type AuditEntry, type AuditRow } from './audit-log.js';
import { EMPTY_AUDIT, followRows, missingTail, type AuditHead, type BrokenRow } from './verify-audit.js';
import { query } from '../sql/query.js';

/** Filters of rows, combined with AND; null for any. */
export interface AuditFilter {
  readonly actor: Address | null;
  readonly action: string | null;
  readonly subject: string | null;
}

/** The findings of a verification. */
export interface AuditVerdict {
  /** The last row before the first broken one. */
  readonly head: AuditHead;
  /** Null when the whole log is intact. */
  readonly broken: BrokenRow | null;
  /** The last row that retention removed, as the log itself says; `EMPTY_AUDIT` for none. */
  readonly removed: AuditHead;
}

interface SqlRow {
  readonly sequence: string;
  readonly at: Date;
  readonly actor: Address | null;
  readonly role: AdminRole | null;
  readonly session_id: string | null;
  readonly action: string;
  readonly subject: string | null;
  readonly before: CanonicalValue;
  readonly after: CanonicalValue;
  readonly reason: string | null;
  readonly tx_hash: Hex | null;
  readonly previous_hash: Hex;
  readonly hash: Hex;
}

/** Rows per query when the whole log is read: about 2 MB. */
const PAGE_ROWS = 2_000;
const REWRITTEN = 'its hash is not the one that was noted: the log was rewritten';
/** Above the number of every row. */
const END = 2n ** 62n;

/** The audit log of the admin API: the actions of people, and of the relayer on their behalf. */
export class AdminAuditRepository {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: Pool,
  ) {}

  /** Appends a row in its own transaction. Inside a transaction of the store use `appendAudit`. */
  async append(entry: AuditEntry): Promise<AuditRow> {
    return this.prisma.$transaction(async (tx) => appendAudit(tx, entry));
  }

  /** One page, newest first. */
  async page(filter: AuditFilter, request: PageRequest<bigint>): Promise<Page<AuditRow, bigint>> {
    const { start, limit } = request;
    const side = start?.way === 'newer' ? 'after' : 'before';
    const { text, values } = chosen(filter, side, start?.key ?? END);
    // Not a named statement: its generic plan would scan the whole log to find a rare action.
    const rows = await query<SqlRow>(this.pool, {
      text: `${text} LIMIT $${values.length + 1}`,
      values: [...values, limit + 1],
    });
    return toPage(rows.map(toRow), request, ({ sequence }) => BigInt(sequence));
  }

  /** All rows that match a filter, newest first, in bounded pages. Rows added meanwhile are left out. */
  async *all(filter: AuditFilter): AsyncGenerator<AuditRow[]> {
    for (let before = END; ;) {
      const { text, values } = chosen(filter, 'before', before);
      const rows = await query<SqlRow>(this.pool, { text: `${text} LIMIT ${PAGE_ROWS}`, values });
      if (rows.length > 0) yield rows.map(toRow);
      if (rows.length < PAGE_ROWS) return;
      before = BigInt(rows.at(-1)?.sequence ?? 0);
    }
  }

  /**
   * Verifies the whole log from its first row, in pages. Where retention removed its beginning, the first row must
   * follow the row that a later row of the log names as the last removed one.
   *
   * @param known a head noted earlier, to detect a truncated end.
   */
  async verify(known: AuditHead | null = null): Promise<AuditVerdict> {
    const removed = await this.removed();
    if (known?.sequence === removed.sequence && known.hash !== removed.hash)
      return { head: EMPTY_AUDIT, broken: { sequence: known.sequence, problem: REWRITTEN }, removed };
    for (let head = removed; ;) {
      // Valid numbers begin after the removed rows, but a foreign writer of the database could add a lower one.
      const start = head === removed ? -END : BigInt(head.sequence);
      const { text, values } = chosen({ actor: null, action: null, subject: null }, 'after', start);
      const rows = await query<SqlRow>(this.pool, { text: `${text} LIMIT ${PAGE_ROWS}`, values });
      const followed = followRows(head, rows.map(toRow), known);
      if (followed.broken !== null) return { ...followed, removed };
      if (rows.length < PAGE_ROWS) return { head: followed.head, broken: missingTail(followed.head, known), removed };
      head = followed.head;
    }
  }

  private async removed(): Promise<AuditHead> {
    const [row] = await query<{ sequence: string; hash: Hex }>(this.pool, {
      text: `SELECT after ->> 'sequence' AS sequence, after ->> 'hash' AS hash FROM admin_audit WHERE action = $1
        ORDER BY sequence DESC LIMIT 1`,
      values: [RETIRE_AUDIT],
    });
    return row === undefined ? EMPTY_AUDIT : { sequence: Number(row.sequence), hash: row.hash };
  }
}

/** The query of the rows that match a filter: before a number, descending; or after it, ascending. */
function chosen({ actor, action, subject }: AuditFilter, side: 'before' | 'after', sequence: bigint) {
  const given = Object.entries({ actor, action, subject }).filter(([, value]) => value !== null);
  const filters = given.map(([column], index) => `AND ${column} = $${index + 2}`);
  const [comparison, order] = side === 'before' ? ['<', 'DESC'] : ['>', 'ASC'];
  return {
    text: `SELECT * FROM admin_audit WHERE sequence ${comparison} $1 ${filters.join(' ')} ORDER BY sequence ${order}`,
    values: [sequence, ...given.map(([, value]) => value)],
  };
}

function toRow(row: SqlRow): AuditRow {
  const { sequence, at, actor, role, action, subject, before, after, reason, hash } = row;
  return {
    sequence: Number(sequence),
    at,
    actor,
    role,
    action,
    subject,
    before,
    after,
    reason,
    hash,
    sessionId: row.session_id,
    txHash: row.tx_hash,
    previousHash: row.previous_hash,
  };
}
