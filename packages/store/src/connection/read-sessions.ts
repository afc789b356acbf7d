import { Client } from 'pg';
import { readLabel, type ProgramLabel } from './program.js';
import { pinSession } from './session.js';

/** Sessions with the same application_name and user. */
export interface ConnectedProgram {
  /** Null when the application_name is not a label of ours. */
  readonly label: ProgramLabel | null;
  /** The application_name; empty for none. */
  readonly text: string;
  readonly user: string;
  readonly sessions: number;
}

/** The programs connected to a database, and the active relayer. */
export interface DatabaseUse {
  readonly programs: readonly ConnectedProgram[];
  /** The active relayer's name; null while no relayer holds the lease, or without tables. */
  readonly leaseHolder: string | null;
}

/** Reads who uses a database, in a read-only session that is left out of the result. */
export async function readDatabaseUse(databaseUrl: string): Promise<DatabaseUse> {
  const client = new Client({
    connectionString: pinSession(databaseUrl, { more: { default_transaction_read_only: 'on' } }),
  });
  try {
    await client.connect();
    const { rows } = await client.query<Omit<ConnectedProgram, 'label'>>(
      `SELECT application_name AS text, usename AS user, count(*)::int AS sessions FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND usename IS NOT NULL
       GROUP BY 1, 2 ORDER BY 1, 2`,
    );
    const programs = rows.map((row) => ({ ...row, label: readLabel(row.text) }));
    return { programs, leaseHolder: await readLeaseHolder(client) };
  } finally {
    await client.end();
  }
}

async function readLeaseHolder(client: Client): Promise<string | null> {
  const { rows: tables } = await client.query<{ found: boolean }>(`SELECT to_regclass('lease') IS NOT NULL AS found`);
  if (tables[0]?.found !== true) return null;
  const { rows } = await client.query<{ holder: string }>(`SELECT holder FROM lease WHERE expires_at > now()`);
  // The holder is `name:process`.
  return rows[0]?.holder.split(':')[0] ?? null;
}
