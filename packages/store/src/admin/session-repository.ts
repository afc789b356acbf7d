import type { AdminRole } from '@causeway/protocol/admin';
import type { Pool } from 'pg';
import type { Address, Hex } from 'viem';
import { appendAudit, type AuditEntry } from '../audit/audit-log.js';
import { Prisma, type AdminSession as AdminSessionModel, type PrismaClient } from '../generated/prisma/client.js';
import { listColumns, type ColumnsOf } from '../sql/columns.js';
import { execute, query, sql } from '../sql/query.js';
import { valuesInSql } from '../sql/rows-in-sql.js';

const COLUMNS = listColumns(Prisma.AdminSessionScalarFieldEnum, 'admin_session');

/** A session of the console. Times are by the database's clock. */
export interface AdminSession {
  readonly id: string;
  readonly address: Address;
  readonly createdAt: Date;
  /** At most a minute older than the last request. */
  readonly lastUsedAt: Date;
  /** The session ends then, even while it is in use. */
  readonly expiresAt: Date;
  readonly clientIp: string | null;
  readonly userAgent: string | null;
}

/** A new session. */
interface NewSession {
  /** SHA-256 of the token. */
  readonly tokenHash: Hex;
  readonly address: Address;
  readonly role: AdminRole;
  readonly clientIp: string | null;
  readonly userAgent: string | null;
}

/** How long sessions last, in milliseconds. */
export interface SessionLifetimes {
  /** Without a request. */
  readonly idleMs: number;
  /** In total, even while in use. */
  readonly absoluteMs: number;
}

/** Who ends a session. */
type Ender = Pick<AuditEntry, 'actor' | 'role' | 'sessionId'>;

/**
 * A session that began before its member was added is void: the member was removed in between. A role change keeps the
 * member's `created_at`. The caller passes the idle limit in milliseconds as $2.
 */
const IS_LIVING = `expires_at > now() AND last_used_at > now() - $2 * interval '1 millisecond'
  AND NOT EXISTS (
    SELECT FROM admin_member m WHERE m.address = admin_session.address AND m.created_at > admin_session.created_at
  )`;

/** `lastUsedAt` is written only when it is older than this, so most requests do not write. */
const TOUCH_MS = 60_000;

/** Sessions. Each beginning and end writes a row of the audit log in the same transaction. */
export class AdminSessionRepository {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: Pool,
  ) {}

  /**
   * Begins a session, deletes the one that it replaces, and deletes expired ones.
   *
   * @param replaced SHA-256 of the token that came with the sign-in; null for none.
   */
  async begin(
    session: NewSession,
    replaced: Hex | null,
    { idleMs, absoluteMs }: SessionLifetimes,
  ): Promise<AdminSession> {
    const { tokenHash, address, role, clientIp, userAgent } = session;
    const begun = {
      token_hash: tokenHash,
      address,
      client_ip: clientIp,
      user_agent: userAgent,
      expires_at: sql`now() + ${absoluteMs} * interval '1 millisecond'`,
    } satisfies ColumnsOf<AdminSessionModel, 'id' | 'createdAt' | 'lastUsedAt'>;
    return this.prisma.$transaction(async (tx) => {
      await execute(tx)`
        DELETE FROM admin_session
        WHERE token_hash = ${replaced} OR expires_at <= now() OR last_used_at <= now() - ${idleMs} * interval '1 millisecond'`;
      const [row] = await query<SessionRow>(tx)`
        INSERT INTO admin_session ${valuesInSql(begun)} RETURNING *`;
      if (row === undefined) throw new Error('The database returned no row for a new session');
      await appendAudit(tx, {
        actor: address,
        role,
        sessionId: row.id,
        action: 'sign-in',
        subject: row.id,
        after: { clientIp, userAgent },
      });
      return toSession(row);
    });
  }

  /**
   * Finds the unexpired sessions of tokens and records their use. Every request runs this query, so it is a prepared
   * statement, and concurrent requests share it.
   *
   * @returns sessions by token hash.
   */
  async findAll(
    tokenHashes: readonly Hex[],
    { idleMs }: Pick<SessionLifetimes, 'idleMs'>,
  ): Promise<ReadonlyMap<Hex, AdminSession>> {
    const rows = await query<SessionRow & { is_stale: boolean }>(this.pool, {
      name: 'admin-session',
      text: `SELECT ${COLUMNS}, last_used_at < now() - ${TOUCH_MS} * interval '1 millisecond' AS is_stale
             FROM admin_session WHERE token_hash = ANY ($1) AND ${IS_LIVING}`,
      values: [tokenHashes, idleMs],
    });
    const living = await Promise.all(rows.map(async (row) => (row.is_stale ? this.touch(row.id) : row)));
    return new Map(living.flatMap((row) => (row === null ? [] : [[row.token_hash, toSession(row)]])));
  }

  /** Null when the session has ended in the meantime. */
  private async touch(id: string): Promise<SessionRow | null> {
    const text = 'UPDATE admin_session SET last_used_at = now() WHERE id = $1 RETURNING *';
    const [row] = await query<SessionRow>(this.pool, { text, values: [id] });
    return row ?? null;
  }

  /** The given sessions that have not ended. Does not count as a use. */
  async findLiving(
    ids: readonly string[],
    { idleMs }: Pick<SessionLifetimes, 'idleMs'>,
  ): Promise<{ readonly id: string; readonly address: Address }[]> {
    const rows = await query<{ id: string; address: Address }>(this.pool, {
      name: 'admin-sessions-living',
      text: `SELECT id::text, address FROM admin_session WHERE id = ANY ($1::uuid[]) AND ${IS_LIVING}`,
      values: [ids, idleMs],
    });
    return rows;
  }

  /** The unexpired sessions of a member, newest first. */
  async list(address: Address, { idleMs }: Pick<SessionLifetimes, 'idleMs'>): Promise<AdminSession[]> {
    const rows = await query<SessionRow>(this.pool, {
      text: `SELECT * FROM admin_session WHERE address = $1 AND ${IS_LIVING} ORDER BY created_at DESC, id`,
      values: [address, idleMs],
    });
    return rows.map(toSession);
  }

  /**
   * Ends one session of a member.
   *
   * @param action the action in the audit log.
   * @returns false when the member has no such session.
   */
  async end(address: Address, id: string, by: Ender, action: 'sign-out' | 'session-ended'): Promise<boolean> {
    return this.prisma.$transaction(async (tx) => {
      const { count } = await tx.adminSession.deleteMany({ where: { id, address } });
      if (count > 0) await noteEnd(tx, id, by, action);
      return count > 0;
    });
  }

  /** Ends all sessions of a member. */
  async endAll(address: Address, by: Ender): Promise<void> {
    await this.prisma.$transaction(async (tx) => endMemberSessions(tx, address, by));
  }
}

/** Ends all sessions of a member in the caller's transaction. */
export async function endMemberSessions(tx: Prisma.TransactionClient, address: Address, by: Ender): Promise<void> {
  const ended = await query<{ id: string }>(tx)`
    DELETE FROM admin_session WHERE address = ${address} RETURNING id::text`;
  for (const { id } of ended) await noteEnd(tx, id, by, 'session-ended');
}

interface SessionRow {
  readonly id: string;
  readonly token_hash: Hex;
  readonly address: Address;
  readonly created_at: Date;
  readonly last_used_at: Date;
  readonly expires_at: Date;
  readonly client_ip: string | null;
  readonly user_agent: string | null;
}

async function noteEnd(tx: Prisma.TransactionClient, id: string, by: Ender, action: string): Promise<void> {
  await appendAudit(tx, { ...by, action, subject: id });
}

function toSession(row: SessionRow): AdminSession {
  return {
    id: row.id,
    address: row.address,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    clientIp: row.client_ip,
    userAgent: row.user_agent,
  };
}
