import type { Asset } from '@causeway/protocol';
import { Pool } from 'pg';
import type { PrismaClient } from '../generated/prisma/client.js';
import { BACKUP_FIGURES, type BackupFigures } from './backups.js';
import {
  compareMigrations,
  migrationProblems,
  readRecords,
  type DatabaseProblem,
  type MigrationDifference,
} from './migrations.js';
import { openPrisma } from './open-prisma.js';
import { CLOCK_TOLERANCE_MS } from './read-server.js';
import { pinSession } from './session.js';

/** The state of a database, read before a program relies on it. */
export interface DatabaseState {
  /** Such as 180004. */
  readonly versionNumber: number;
  readonly migrations: MigrationDifference;
  /** Whether both drivers write and read timestamps alike. */
  readonly driversAgree: boolean;
}

/** A `DatabaseState` with the clock difference and the backups. */
export interface InspectedDatabase extends DatabaseState {
  /** The least possible difference between its clock and this machine's. */
  readonly clockDifferenceMs: number;
  /** Null when migrations are missing. */
  readonly backups: BackupFigures | null;
}

/** The database answers, but this program must not use it. A restart does not help. */
export class IncompatibleDatabaseError extends Error {
  override readonly name = 'IncompatibleDatabaseError';
  /** EX_CONFIG of sysexits.h. */
  readonly exitCode = 78;

  constructor(problems: readonly DatabaseProblem[]) {
    const sentences = problems.map(({ finding, action }) => `${finding} -> ${action}`);
    super(`The database does not fit this program: ${sentences.join('; ')}`);
  }
}

const TIMEOUT_MS = 5_000;

/** SQL condition: the server is a primary, and the session can write. */
export const TAKES_WRITES = `NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off'`;

/** Detects swapped day and month, any zone offset, and lost milliseconds. */
const MOMENT = new Date('2026-02-01T22:34:56.789Z');

/**
 * Reads the state of a database in a read-only session.
 *
 * @param now the clock of this machine, in epoch milliseconds.
 * @throws Error when it does not answer.
 */
export async function inspectDatabase(databaseUrl: string, now: () => number): Promise<InspectedDatabase> {
  const pool = new Pool({
    connectionString: pinSession(databaseUrl, { more: { default_transaction_read_only: 'on' } }),
    connectionTimeoutMillis: TIMEOUT_MS,
    statement_timeout: TIMEOUT_MS,
    max: 1,
  });
  // A broken idle connection must not end the process.
  pool.on('error', () => undefined);
  const prisma = openPrisma(pool, databaseUrl);
  try {
    const state = await readDatabaseState(pool, prisma);
    return {
      ...state,
      clockDifferenceMs: await readClockDifference(pool, now),
      backups: state.migrations.missing.length > 0 ? null : await readBackups(pool),
    };
  } finally {
    await prisma.$disconnect();
    await pool.end();
  }
}

async function readBackups(pool: Pool): Promise<BackupFigures | null> {
  const { rows } = await pool.query<{ backups: BackupFigures }>(`SELECT (${BACKUP_FIGURES}) AS backups`);
  return rows[0]?.backups ?? null;
}

/** Reads the state through both drivers of a store. */
export async function readDatabaseState(pool: Pool, prisma: PrismaClient): Promise<DatabaseState> {
  const driversAgree = await compareDrivers(pool, prisma);
  const { missing, failed, changed, tooNew } = compareMigrations(await readRecords(pool));
  const { rows } = await pool.query<{ version: string }>(`SELECT current_setting('server_version_num') AS version`);
  const [state] = rows;
  if (state === undefined) throw new Error('The database returned no version');
  return {
    versionNumber: Number(state.version),
    migrations: { missing, failed, changed, tooNew },
    driversAgree,
  };
}

/** The reasons why this program must not use the database; empty for none. */
export function databaseProblems({ migrations, driversAgree }: DatabaseState): DatabaseProblem[] {
  const problems = migrationProblems(migrations);
  if (migrations.missing.length > 0) {
    const finding = `migrations are missing: ${migrations.missing.join(', ')}`;
    problems.unshift({ finding, action: 'apply them: causeway-admin migrate apply' });
  }
  if (driversAgree) return problems;
  const finding = 'the two drivers disagree on a timestamp';
  return [...problems, { finding, action: 'connect without a pooler that changes TimeZone or DateStyle of a session' }];
}

/** The problems of a database that a service writes to: it takes no writes, or its clock differs. */
export async function primaryProblems(pool: Pool, now: () => number): Promise<DatabaseProblem[]> {
  const { rows } = await pool.query<{ takesWrites: boolean }>(`SELECT ${TAKES_WRITES} AS "takesWrites"`);
  const problems = [];
  if (rows[0]?.takesWrites !== true)
    problems.push({ finding: 'it is a replica or read-only', action: 'set DATABASE_URL to the primary' });
  const differenceMs = await readClockDifference(pool, now);
  if (differenceMs > CLOCK_TOLERANCE_MS) {
    const finding = `its clock and that of this machine differ by ${Math.round(differenceMs / 1_000)} s`;
    problems.push({ finding, action: 'set both clocks (NTP)' });
  }
  return problems;
}

/**
 * Reads the least possible difference between the database's clock and this machine's, in milliseconds. The server
 * reads its clock between the request and the answer, so a slow answer hides a difference.
 */
export async function readClockDifference(pool: Pool, now: () => number): Promise<number> {
  const askedAtMs = now();
  const { rows } = await pool.query<{ ms: string }>('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms');
  const databaseMs = Number(rows[0]?.ms);
  return Math.max(0, askedAtMs - databaseMs, databaseMs - now());
}

/** Returns a problem when a fully migrated database has rows of assets that the address book lacks. */
export async function assetProblems(pool: Pool, known: readonly Asset[]): Promise<DatabaseProblem[]> {
  // A loose index scan, so that a table of millions costs a few lookups.
  const { rows } = await pool.query<{ asset: string }>(
    `WITH RECURSIVE place AS (
       (SELECT status, kind, asset FROM operation ORDER BY status, kind, asset LIMIT 1)
       UNION ALL
       SELECT next.* FROM place CROSS JOIN LATERAL (
         SELECT o.status, o.kind, o.asset FROM operation o
         WHERE (o.status, o.kind, o.asset) > (place.status, place.kind, place.asset)
         ORDER BY o.status, o.kind, o.asset LIMIT 1) next)
     SELECT asset FROM (SELECT asset FROM place UNION SELECT asset FROM inbound_transfer WHERE operation_id IS NULL) used
     WHERE asset <> ALL ($1) ORDER BY asset`,
    [known],
  );
  const unknown = rows.map(({ asset }) => asset);
  if (unknown.length === 0) return [];
  const finding = `rows of ${unknown.join(', ')}, which the address book does not name`;
  return [{ finding, action: 'set ADDRESS_BOOK to the present address book of this deployment' }];
}

/**
 * Each driver writes and reads a timestamp. The server converts it to epoch seconds, which no session setting changes.
 */
async function compareDrivers(pool: Pool, prisma: PrismaClient): Promise<boolean> {
  const sql = `SELECT (extract(epoch FROM $1::timestamptz) * 1000)::float8 AS written, to_timestamp($2::float8 / 1000) AS read`;
  const values = [MOMENT, MOMENT.getTime()] as const;
  interface Row {
    readonly written: number;
    readonly read: Date | null;
  }
  const { rows } = await pool.query<Row>(sql, [...values]);
  const all = [...rows, ...(await prisma.$queryRawUnsafe<Row[]>(sql, ...values))];
  return all.every(({ written, read }) => written === MOMENT.getTime() && read?.getTime() === MOMENT.getTime());
}
