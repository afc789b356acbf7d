import { Client } from 'pg';
import { ACCESS, ROLES } from './access.js';
import { pinSession } from './session.js';

/** The oldest supported major version of PostgreSQL. The tests run on it. */
export const OLDEST_POSTGRES = 15;

/** With a larger clock difference no service starts, and no API is ready. */
export const CLOCK_TOLERANCE_MS = 30_000;
/** A larger clock difference is worth a warning to operators. */
export const CLOCK_WARNING_MS = 1_000;

/** Facts about a database server. Reading them needs no tables. */
export interface ServerFacts {
  /** Such as 18. */
  readonly version: number;
  /** The least possible difference between its clock and this machine's, in milliseconds. */
  readonly clockDifferenceMs: number;
  readonly isEncrypted: boolean;
  readonly isReplica: boolean;
  /** The login role of this connection. */
  readonly login: string;
  readonly isSuperuser: boolean;
  /** The bridge's roles that exist. */
  readonly roles: readonly string[];
  /** Roles and tables whose rights differ from `ACCESS`, such as `causeway_api on refund`. */
  readonly wrongGrants: readonly string[];
  /**
   * How many operations are COMPLETED, counted up to 1000. Null when the tables are missing, or this login cannot read
   * them.
   */
  readonly completed: number | null;
}

interface ServerRow {
  readonly now: string;
  readonly version: number;
  readonly encrypted: boolean;
  readonly replica: boolean;
  readonly login: string;
  readonly superuser: boolean;
  readonly roles: string[];
  readonly readable: boolean;
}

const TIMEOUT_MS = 5_000;

/**
 * Reads the facts in a read-only session, without the ORM.
 *
 * @param now epoch milliseconds.
 * @throws Error when the server does not answer.
 */
export async function readServer(databaseUrl: string, now: () => number): Promise<ServerFacts> {
  const client = new Client({
    connectionString: pinSession(databaseUrl, { more: { default_transaction_read_only: 'on' } }),
    connectionTimeoutMillis: TIMEOUT_MS,
    statement_timeout: TIMEOUT_MS,
  });
  // A connection that breaks must not end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const before = now();
    const { rows } = await client.query<ServerRow>(
      `SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now,
              current_setting('server_version_num')::int / 10000 AS version,
              coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS encrypted,
              pg_is_in_recovery() AS replica,
              current_user::text AS login,
              (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS superuser,
              ARRAY(SELECT rolname::text FROM pg_roles WHERE rolname = ANY ($1)) AS roles,
              to_regclass('operation') IS NOT NULL
                AND has_table_privilege(to_regclass('operation'), 'SELECT') AS readable`,
      [ROLES],
    );
    const after = now();
    const [row] = rows;
    if (row === undefined) throw new Error('The server returned no row');
    const serverMs = Number(row.now);
    return {
      version: row.version,
      clockDifferenceMs: Math.max(0, before - serverMs, serverMs - after),
      isEncrypted: row.encrypted,
      isReplica: row.replica,
      login: row.login,
      isSuperuser: row.superuser,
      roles: row.roles,
      wrongGrants: row.roles.length === ROLES.length ? await findWrongGrants(client) : [],
      completed: row.readable ? await countCompleted(client) : null,
    };
  } finally {
    await client.end();
  }
}

/** Compares the rights on whole tables only: one command grants these and the rights on columns. */
async function findWrongGrants(client: Client): Promise<string[]> {
  const wanted = Object.entries(ACCESS).flatMap(([table, roles]) =>
    Object.entries(roles).map(([role, rights]) => ({ table, role, rights: readWholeRights(rights ?? '') })),
  );
  const { rows } = await client.query<{ wrong: string }>(
    `SELECT DISTINCT role || ' on ' || name AS wrong
     FROM jsonb_to_recordset($1::jsonb) AS wanted (name text, role text, rights jsonb)
     CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS right_name
     WHERE to_regclass(name) IS NOT NULL
       AND has_table_privilege(role, to_regclass(name), right_name) <> (rights ? right_name)
     ORDER BY 1`,
    [JSON.stringify(wanted.map(({ table, ...rest }) => ({ name: table, ...rest })))],
  );
  return rows.map(({ wrong }) => wrong);
}

/** The rights on the whole table: `SELECT, UPDATE (state)` has one, SELECT. */
function readWholeRights(rights: string): readonly string[] {
  return rights.match(/\b(SELECT|INSERT|UPDATE|DELETE)\b(?! *\()/g) ?? [];
}

async function countCompleted(client: Client): Promise<number> {
  const { rows } = await client.query<{ count: string }>(
    `SELECT count(*) AS count FROM (SELECT 1 FROM operation WHERE status = 'COMPLETED' LIMIT 1000) AS completed`,
  );
  return Number(rows[0]?.count);
}
