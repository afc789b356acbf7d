import { Client } from 'pg';
import { migrationNames } from './migrate.js';

/** The state of a database, as far as it can be read before anything relies on it. */
export interface DatabaseState {
  /** Such as 180004. */
  readonly versionNumber: number;
  /** The time of its clock, in epoch milliseconds, half a round trip ago. */
  readonly nowMs: number;
  /** Migrations of this version that were not applied, that began and did not end, and that it does not know. */
  readonly migrations: {
    readonly missing: readonly string[];
    readonly failed: readonly string[];
    readonly unknown: readonly string[];
  };
}

const TIMEOUT_MS = 5_000;

/**
 * Reads the state of a database in a session that can write nothing.
 *
 * @throws Error when it does not answer.
 */
export async function inspectDatabase(databaseUrl: string): Promise<DatabaseState> {
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: TIMEOUT_MS,
    statement_timeout: TIMEOUT_MS,
    options: '-c default_transaction_read_only=on',
  });
  // A connection that breaks while it is unused must not end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ version: string; now: string; recorded: boolean }>(
      `SELECT current_setting('server_version_num') AS version,
              extract(epoch FROM clock_timestamp()) * 1000 AS now,
              to_regclass('_prisma_migrations') IS NOT NULL AS recorded`,
    );
    const [state] = rows;
    if (state === undefined) throw new Error('The database does not describe itself');
    const recorded = state.recorded ? await readRecords(client) : [];
    return {
      versionNumber: Number(state.version),
      nowMs: Number(state.now),
      migrations: compare(await migrationNames(), recorded),
    };
  } finally {
    await client.end();
  }
}

interface MigrationRecord {
  readonly name: string;
  readonly isDone: boolean;
}

async function readRecords(client: Client): Promise<readonly MigrationRecord[]> {
  const { rows } = await client.query<MigrationRecord>(
    `SELECT migration_name AS name, finished_at IS NOT NULL AS "isDone"
     FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
  );
  return rows;
}

function compare(ours: readonly string[], records: readonly MigrationRecord[]): DatabaseState['migrations'] {
  const done = records.filter(({ isDone }) => isDone).map(({ name }) => name);
  const failed = records.filter(({ name, isDone }) => !isDone && !done.includes(name)).map(({ name }) => name);
  return {
    missing: ours.filter((name) => !done.includes(name) && !failed.includes(name)),
    failed,
    unknown: done.filter((name) => !ours.includes(name)),
  };
}
