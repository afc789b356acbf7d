import { createHash } from 'node:crypto';
import type { ClientBase, Pool } from 'pg';
import { SCRIPTS } from '../generated/migrations.js';

// The committed migrations, the applied migrations of a database, and their difference. A program is identified by the
// newest migration that it ships.

/** A schema migration. */
export interface Migration {
  readonly name: string;
  /** SQL, run as one transaction. */
  readonly script: string;
  /** SHA-256 of the script in hex, as Prisma computes it. */
  readonly checksum: string;
  /** The newest migration of the oldest program that works with this migration. Null when no script states it. */
  readonly oldestProgram: string | null;
}

/** A migration that was applied, or started, on a database. */
interface MigrationRecord {
  readonly name: string;
  readonly checksum: string;
  readonly isDone: boolean;
  readonly oldestProgram: string | null;
}

/** The difference between the migrations of a program and of a database, as lists of names. */
export interface MigrationDifference {
  /** Of this program, not applied. */
  readonly missing: readonly string[];
  /** Started but not finished. */
  readonly failed: readonly string[];
  /** Applied with a script that differs from this program's. */
  readonly changed: readonly string[];
  /** Of a newer program, and incompatible with this one. */
  readonly tooNew: readonly string[];
}

/** The migrations of a database, and those that this program would add. */
export interface MigrationStatus extends MigrationDifference {
  readonly applied: readonly string[];
  readonly pending: readonly Migration[];
  /** The oldest program that works with the schema, and the newest one that changed it. Null without migrations. */
  readonly serves: { readonly from: string; readonly to: string } | null;
}

/** Why a program cannot use a database, and what to do. */
export interface DatabaseProblem {
  readonly finding: string;
  readonly action: string;
}

/** `VALUES ('<migration>', '<oldest program>')` of the table schema_compatibility. */
const STATED = /\(\s*'(\d{14}_\w+)',\s*'(\d{14}_\w+)'\s*\)/g;

/** The migrations of this program, in the order of application. */
export const MIGRATIONS: readonly Migration[] = toMigrations(SCRIPTS);

/** Adds checksums, and the oldest compatible programs that the scripts state. */
export function toMigrations(scripts: readonly Pick<Migration, 'name' | 'script'>[]): Migration[] {
  const stated = new Map(
    scripts.flatMap(({ script }) => [...script.matchAll(STATED)].map(([, name, oldest]) => [name, oldest] as const)),
  );
  return scripts.map(({ name, script }) => ({
    name,
    script,
    checksum: createHash('sha256').update(script).digest('hex'),
    oldestProgram: stated.get(name) ?? null,
  }));
}

/** Reads the migrations of a database. Empty when none was ever started. */
export async function readRecords(connection: Pool | ClientBase): Promise<readonly MigrationRecord[]> {
  const { rows } = await connection.query<{ recorded: boolean; stated: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS recorded, to_regclass('schema_compatibility') IS NOT NULL AS stated`,
  );
  if (rows[0]?.recorded !== true) return [];
  const stated = '(SELECT oldest_program FROM schema_compatibility WHERE migration = migration_name)';
  const { rows: records } = await connection.query<MigrationRecord>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS "isDone",
       ${rows[0].stated ? stated : 'NULL'} AS "oldestProgram"
     FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
  );
  return records;
}

/** Compares the migrations of a program with the records of a database. */
export function compareMigrations(
  records: readonly MigrationRecord[],
  ours: readonly Migration[] = MIGRATIONS,
): MigrationStatus {
  const program = ours.at(-1)?.name ?? '';
  const finished = records.filter(({ isDone }) => isDone);
  const done = new Map(finished.map((record) => [record.name, record]));
  const failed = records.filter(({ name, isDone }) => !isDone && !done.has(name)).map(toName);
  const known = new Set(ours.map(({ name }) => name));
  const pending = ours.filter(({ name }) => !done.has(name) && !failed.includes(name));
  const applied = finished.map(toName).toSorted();
  const newest = applied.at(-1);
  const oldest = finished.flatMap(({ oldestProgram }) => oldestProgram ?? []).toSorted();
  return {
    applied,
    pending,
    missing: pending.map(toName),
    failed,
    changed: ours.filter(({ name, checksum }) => (done.get(name)?.checksum ?? checksum) !== checksum).map(toName),
    tooNew: finished
      .filter(({ name, oldestProgram }) => !known.has(name) && (oldestProgram === null || oldestProgram > program))
      .map(toName),
    serves: newest === undefined ? null : { from: oldest.at(-1) ?? newest, to: newest },
  };
}

const toName = ({ name }: { readonly name: string }) => name;

/** The problems of a schema that this program can neither use nor migrate. */
export function migrationProblems({
  failed,
  changed,
  tooNew,
}: Omit<MigrationDifference, 'missing'>): DatabaseProblem[] {
  return [
    { names: failed, what: 'are unfinished', action: 'check _prisma_migrations, and repair it by hand' },
    { names: changed, what: 'were applied with other scripts', action: 'run the release that applied them' },
    {
      names: tooNew,
      what: 'do not serve this release',
      action: 'run the release that applied them: there is no downgrade',
    },
  ].flatMap(({ names, what, action }) =>
    names.length === 0 ? [] : [{ finding: `migrations ${what}: ${names.join(', ')}`, action }],
  );
}
