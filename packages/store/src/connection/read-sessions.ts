import { Client } from 'pg';
import { readLabel, type ProgramLabel } from './program.js';
import { pinSession } from './session.js';

/** Sessions of one program, or of several alike. */
export interface ConnectedProgram {
  /** Null when they do not say it. */
  readonly label: ProgramLabel | null;
  /** The application_name; empty when it has none. */
  readonly text: string;
  readonly user: string;
  readonly sessions: number;
}

/** The programs that are connected to a database now, and which relayer is the active one. */
export interface DatabaseUse {
  readonly programs: readonly ConnectedProgram[];
  /** By its name; null while no relayer holds the lease, or the tables are missing. */
  readonly leaseHolder: string | null;
}

/** Reads who uses a database, in a session that can write nothing and does not count. */
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
  // Its process follows the name.
  return rows[0]?.holder.split(':')[0] ?? null;
}
