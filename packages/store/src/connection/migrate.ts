import { setInterval } from 'node:timers/promises';
import { Client, DatabaseError, escapeIdentifier } from 'pg';
import { MigrationRefusedError } from './migration-refused.js';
import { compareMigrations, MIGRATIONS, readRecords, type Migration, type MigrationStatus } from './migrations.js';
import { becomeOwner, belongsToOwner, grantAccess } from './roles.js';
import { getSchema, pinSession } from './session.js';

/** How migrations are applied. */
export interface MigrateOptions {
  /** As for `openStore`; the schema of the tables must come first. */
  readonly searchPath?: string;
  /** Default: those of this program. */
  readonly migrations?: readonly Migration[];
  /**
   * How long a migration waits for each lock; default 5 s. Later statements, including reads, queue behind it
   * meanwhile.
   */
  readonly lockTimeoutMs?: number;
  /** Whether to apply migrations that are incompatible with the currently running programs. */
  readonly mayContract?: boolean;
  /** Called after each migration. */
  readonly onApplied?: (migration: Migration, durationMs: number) => void;
  /** Called at the end. True: the schema uses the roles of `createRoles`, and their rights were granted. */
  readonly onRoles?: (hasRoles: boolean) => void;
  /** Called with a sentence when another process is applying migrations. */
  readonly onWait?: (sentence: string) => void;
}

/** The advisory lock of `prisma migrate`, so that the two exclude each other. */
const LOCK = 72_707_369;
const LOCK_TIMEOUT_MS = 5_000;
const LOOK_EVERY_MS = 100;
/** SQLSTATE lock_not_available. */
const LOCK_NOT_AVAILABLE = '55P03';

/** The table of `prisma migrate deploy`, so that either tool can continue the other's work. */
const RECORDS = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL,
  logs TEXT,
  rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`;
const RECORD = `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
  VALUES (gen_random_uuid(), $1, $2, pg_catalog.now(), pg_catalog.clock_timestamp(), 1)`;

/**
 * Applies the missing migrations, each in one transaction with its record.
 *
 * @returns their names.
 * @throws MigrationRefusedError
 */
export async function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<string[]> {
  const { searchPath, migrations = MIGRATIONS, lockTimeoutMs = LOCK_TIMEOUT_MS, onApplied, onRoles } = options;
  const connectionString = pinSession(databaseUrl, { searchPath, more: { lock_timeout: `${lockTimeoutMs}` } });
  const [client, watcher] = [new Client({ connectionString }), new Client({ connectionString })];
  try {
    await Promise.all([client.connect(), watcher.connect()]);
    await takeTurn(client, options);
    const schema = getSchema(databaseUrl);
    await createSchema(client, schema);
    const hasRoles = await belongsToOwner(client, schema);
    if (hasRoles) await becomeOwner(client);
    await client.query(RECORDS);
    const status = compareMigrations(await readRecords(client), migrations);
    await assertApplicable(client, status, options.mayContract ?? false);
    for (const migration of status.pending) {
      const beganAt = performance.now();
      await applyMigration(client, watcher, migration, lockTimeoutMs);
      onApplied?.(migration, Math.round(performance.now() - beganAt));
    }
    if (hasRoles) await grantAccess(client, schema);
    onRoles?.(hasRoles);
    return status.pending.map(({ name }) => name);
  } finally {
    await Promise.all([client.end(), watcher.end()]);
  }
}

/** Reads the migrations of a database in a read-only session. */
export async function readMigrationStatus(databaseUrl: string): Promise<MigrationStatus> {
  const client = new Client({
    connectionString: pinSession(databaseUrl, { more: { default_transaction_read_only: 'on' } }),
  });
  try {
    await client.connect();
    return compareMigrations(await readRecords(client));
  } finally {
    await client.end();
  }
}

/** Takes the migration lock, waiting for other processes. The end of the session releases it. */
async function takeTurn(client: Client, { lockTimeoutMs = LOCK_TIMEOUT_MS, onWait }: MigrateOptions): Promise<void> {
  const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [LOCK]);
  if (rows[0]?.taken === true) return;
  const { rows: holders } = await client.query<{ holder: string }>(
    `SELECT format('process %s of %s at %s', pid, usename, coalesce(client_addr::text, 'a socket')) AS holder
     FROM pg_locks JOIN pg_stat_activity USING (pid)
     WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = $1
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [LOCK],
  );
  onWait?.(`waiting for another command that applies migrations: ${holders[0]?.holder ?? 'it has just ended'}`);
  await client.query('SET lock_timeout = 0');
  await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
  await client.query(`SET lock_timeout = ${lockTimeoutMs}`);
}

async function createSchema(client: Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ found: boolean }>(
    'SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1) AS found',
    [schema],
  );
  if (rows[0]?.found !== true) await client.query(`CREATE SCHEMA ${escapeIdentifier(schema)}`);
}

/** @throws MigrationRefusedError before anything is changed. */
async function assertApplicable(client: Client, status: MigrationStatus, mayContract: boolean): Promise<void> {
  const refuse = (names: readonly string[], why: string) => {
    if (names.length > 0) throw new MigrationRefusedError(`Nothing was applied: ${names.join(', ')} ${why}`);
  };
  refuse(status.failed, 'did not finish: check _prisma_migrations, and repair the tables by hand');
  refuse(status.changed, 'was applied with a different script: run the release that applied it');
  const newest = status.serves?.to;
  if (newest === undefined || mayContract) return;
  const contracting = status.pending.filter(({ oldestProgram }) => (oldestProgram ?? '') > newest);
  if (contracting.length === 0) return;
  const { rows } = await client.query<{ sessions: string }>(
    `SELECT format('%s of %s', count(*), usename) AS sessions FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND usename IS NOT NULL AND usename <> session_user
     GROUP BY usename ORDER BY usename`,
  );
  refuse(
    contracting.map(({ name }) => name),
    `would break running programs whose newest migration is ${newest}. Sessions of other users: ` +
      `${rows.map(({ sessions }) => sessions).join(', ') || 'none'}. Once those programs are stopped or updated, repeat with --contract`,
  );
}

async function applyMigration(
  client: Client,
  watcher: Client,
  { name, script, checksum }: Migration,
  lockTimeoutMs: number,
): Promise<void> {
  const wait = new LockWait(watcher, client);
  try {
    await client.query('BEGIN');
    await client.query(script);
    await client.query(RECORD, [checksum, name]);
    await client.query('COMMIT');
  } catch (cause) {
    // The connection may be lost; the server then rolls back.
    await client.query('ROLLBACK').catch(() => undefined);
    const isLocked = cause instanceof DatabaseError && cause.code === LOCK_NOT_AVAILABLE;
    const message = cause instanceof Error ? cause.message : String(cause);
    const reason = isLocked ? `it waited ${lockTimeoutMs} ms for ${wait.seen}. Repeat the command` : message;
    throw new MigrationRefusedError(`${name} was not applied and changed nothing: ${reason}`, { cause });
  } finally {
    await wait.stop();
  }
}

/** Reads from another session which lock a session waits for, because the timeout error does not name it. */
class LockWait {
  /** The last lock that was seen. */
  seen = 'a lock';
  private readonly stopped = new AbortController();
  private readonly running: Promise<void>;

  constructor(
    private readonly watcher: Client,
    private readonly watched: Client,
  ) {
    this.running = this.look();
  }

  async stop(): Promise<void> {
    this.stopped.abort();
    await this.running.catch(() => undefined);
  }

  private async look(): Promise<void> {
    const { processID } = this.watched as Client & { readonly processID: number };
    for await (const _ of setInterval(LOOK_EVERY_MS, undefined, { signal: this.stopped.signal })) {
      const { rows } = await this.watcher.query<{ lock: string }>(
        `SELECT format('%s on %s, which %s', mode, coalesce(relation::regclass::text, locktype),
           (SELECT 'is held by ' || string_agg(format('process %s of %s', pid, usename), ', ')
            FROM pg_stat_activity WHERE pid = ANY (pg_blocking_pids($1)))) AS lock
         FROM pg_locks WHERE pid = $1 AND NOT granted`,
        [processID],
      );
      this.seen = rows[0]?.lock ?? this.seen;
    }
  }
}
