import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, openStore, WAKE_UPS, type Store } from '@causeway/store';
import { temporaryDatabase, type PostgresServer } from '@causeway/test-kit';
import pg from 'pg';
import type { Announced } from './listen.ts';

// A real PostgreSQL with the kernel's clock. The tables are in a schema that precedes pg_catalog and defines `now` and
// `clock_timestamp`, so that defaults, triggers and views use these.

const SCHEMA = 'simulation';
const SEARCH_PATH = `${SCHEMA},pg_catalog`;
const SESSION = { options: `-c search_path=${SEARCH_PATH}` };
const CLOCK = 'simulation.clock';
const READ_CLOCK = `to_timestamp(pg_read_file(current_setting('${CLOCK}', true))::float8 / 1000)`;
/** Rows that only the migrations write. */
const FIXED_TABLES = new Set(['_prisma_migrations', 'schema_compatibility']);
const MOST_CONNECTIONS = 4;

/** The database of a thread. Its schedules use it one after the other. */
export class SimulatedServer {
  readonly store: Store;
  /** Only for the leases, which each process tracks in memory. */
  readonly leases: pg.Pool;
  /** For the invariants' reads. Numbers of any size are bigints. */
  readonly control: pg.Client;
  /** Called with each wake-up that a commit announces. */
  onAnnounced: (wakeUp: Announced) => void = () => undefined;
  private readonly database: PostgresServer;
  private readonly clock: Clock;
  private readonly tables: readonly string[];
  private readonly sequences: readonly string[];

  private constructor(database: PostgresServer, clock: Clock, control: pg.Client, { tables, sequences }: Names) {
    this.database = database;
    this.clock = clock;
    this.control = control;
    this.tables = tables;
    this.sequences = sequences;
    this.leases = new pg.Pool({ connectionString: database.url, ...SESSION, max: 1 });
    this.leases.on('connect', ignoreEnd);
    this.store = openStore({
      databaseUrl: withSchema(database.url),
      searchPath: SEARCH_PATH,
      maxConnections: MOST_CONNECTIONS,
      onConnect: (connection) => this.listenOn(connection),
      onIdleError: () => undefined,
    });
  }

  /** Creates the database on the server of this run. */
  static async open(): Promise<SimulatedServer> {
    const clock = new Clock();
    const database = await temporaryDatabase(createTables, {
      [CLOCK]: clock.file,
      synchronous_commit: 'off',
      jit: 'off',
    });
    const control = new pg.Client({
      connectionString: database.url,
      ...SESSION,
      types: { getTypeParser },
    });
    await control.connect();
    return new SimulatedServer(database, clock, control, await readNames(control));
  }

  /** Sets the clock of SQL, in epoch milliseconds. */
  setClock(ms: number): void {
    this.clock.set(ms);
  }

  /** Empties all tables and restarts all sequences, before a schedule. */
  async empty(): Promise<void> {
    const statements = [
      'SET LOCAL session_replication_role = replica',
      // TRUNCATE takes ten times as long.
      ...this.tables.map((table) => `DELETE FROM ${table}`),
      ...this.sequences.map((sequence) => `ALTER SEQUENCE ${sequence} RESTART`),
    ];
    await this.control.query(statements.join('; '));
  }

  /** Whether this or a later transaction wrote a row. */
  async isWrittenSince(xid: string): Promise<boolean> {
    const writes = this.tables.map((table) => `SELECT 1 FROM ${table} WHERE xmin::text::bigint >= ${xid}`);
    const { rowCount } = await this.control.query(`${writes.join(' UNION ALL ')} LIMIT 1`);
    return rowCount === 1;
  }

  async close(): Promise<void> {
    await this.store.close();
    await this.leases.end();
    await this.control.end();
    await this.database.stop();
    this.clock.close();
  }

  /**
   * A session receives its own announcements before the answer to its commit; announcements of other sessions are
   * ignored.
   */
  private listenOn(connection: pg.PoolClient): void {
    const { processID } = connection as pg.PoolClient & { readonly processID: number };
    connection.on('notification', ({ payload, processId }) => {
      const announced = WAKE_UPS.payloads.find((each) => each === payload);
      if (processId === processID && announced !== undefined) this.onAnnounced(announced);
    });
    ignoreEnd(connection);
    void connection.query(`LISTEN ${WAKE_UPS.name}`);
  }
}

/** Connections can outlive their pool, so the server may still report its shutdown to them. */
function ignoreEnd(connection: pg.PoolClient): void {
  connection.on('error', () => undefined);
}

/** Numbers of any size become bigints. */
const getTypeParser: pg.CustomTypesConfig['getTypeParser'] = (oid, format) => {
  const { INT8, NUMERIC } = pg.types.builtins;
  return [INT8, NUMERIC].includes(oid) ? BigInt : pg.types.getTypeParser(oid, format);
};

/** A time in a file that the server reads. */
class Clock {
  readonly file: string;
  private readonly folder = mkdtempSync(join(tmpdir(), 'causeway-simulation-'));
  private readonly handle: number;

  constructor() {
    chmodSync(this.folder, 0o755);
    this.file = join(this.folder, 'now');
    this.handle = openSync(this.file, 'w', 0o644);
    this.set(Date.now());
  }

  /** Every time has the same number of digits. */
  set(ms: number): void {
    writeSync(this.handle, Math.floor(ms).toString(), 0);
  }

  close(): void {
    closeSync(this.handle);
    rmSync(this.folder, { recursive: true });
  }
}

/** Prepares an empty database. */
async function createTables(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const clock = (name: string, kind: string) =>
    `CREATE FUNCTION ${SCHEMA}.${name}() RETURNS timestamptz LANGUAGE sql ${kind}
     AS $$ SELECT coalesce(${READ_CLOCK}, pg_catalog.now()) $$`;
  await client.query(`CREATE SCHEMA ${SCHEMA}; ${clock('now', 'STABLE')}; ${clock('clock_timestamp', 'VOLATILE')}`);
  // Keeps the order of rows and the query plans the same in each run.
  await client.query('ALTER SYSTEM SET autovacuum = off');
  await client.query('SELECT pg_reload_conf()');
  await client.end();
  await migrate(withSchema(url), { searchPath: SEARCH_PATH });
}

interface Names {
  readonly tables: readonly string[];
  readonly sequences: readonly string[];
}

async function readNames(control: pg.Client): Promise<Names> {
  const names = async (catalog: string, column: string) => {
    const { rows } = await control.query<{ name: string }>(
      `SELECT ${column} AS name FROM ${catalog} WHERE schemaname = $1 ORDER BY 1`,
      [SCHEMA],
    );
    return rows.map(({ name }) => name).filter((name) => !FIXED_TABLES.has(name));
  };
  return { tables: await names('pg_tables', 'tablename'), sequences: await names('pg_sequences', 'sequencename') };
}

function withSchema(url: string): string {
  const named = new URL(url);
  named.searchParams.set('schema', SCHEMA);
  return named.href;
}
