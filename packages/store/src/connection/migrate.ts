import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, type SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import { Pool } from 'pg';
import { pinSession, getSchema } from './session.js';

// By the package's name, since a service's bundle holds this code and not these files.
const SCHEMA = createRequire(import.meta.url).resolve('@causeway/store/prisma/schema.prisma');
const MIGRATIONS = join(dirname(SCHEMA), 'migrations');

/**
 * Applies the committed migrations that the database does not have yet and records them in `_prisma_migrations`, as
 * `prisma migrate deploy` does, but without its native engine, which cannot be installed everywhere.
 *
 * @param searchPath as of `openStore`; the schema of the tables must be the first of it.
 * @returns the names of the migrations applied now.
 */
export async function migrate(databaseUrl: string, searchPath?: string): Promise<string[]> {
  // Imported here, since only migrations need its 5 MB of WebAssembly, and Node.js warns when it loads.
  const { SchemaEngine } = await import('@prisma/schema-engine-wasm');
  const schema = await readFile(SCHEMA, 'utf8');
  const pool = new Pool({ connectionString: pinSession(databaseUrl, { searchPath }), max: 2 });
  // A broken idle connection must not end the process; the next query reports it.
  pool.on('error', () => undefined);
  const engine = await SchemaEngine.new(
    { datamodels: [['schema.prisma', schema]] },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory(new WholeScriptAdapter(pool, getSchema(databaseUrl))),
  );
  try {
    const result = await engine.applyMigrations({
      migrationsList: await readMigrations(),
      filters: { externalTables: [], externalEnums: [] },
    });
    return result.appliedMigrationNames;
  } finally {
    engine.free();
    await pool.end();
  }
}

/** The names of the committed migrations, in the order in which they are applied. */
export async function migrationNames(): Promise<string[]> {
  const entries = await readdir(MIGRATIONS, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return names.toSorted();
}

async function readMigrations() {
  const baseDir = MIGRATIONS;
  const names = await migrationNames();
  const migrationDirectories = await Promise.all(
    names.map(async (path) => ({
      path,
      migrationFile: {
        path: 'migration.sql',
        content: { tag: 'ok' as const, value: await readFile(`${baseDir}/${path}/migration.sql`, 'utf8') },
      },
    })),
  );
  const lockfile = await readFile(`${baseDir}/migration_lock.toml`, 'utf8');
  return {
    baseDir,
    lockfile: { path: 'migration_lock.toml', content: lockfile },
    shadowDbInitScript: '',
    migrationDirectories,
  };
}

/**
 * Prisma's adapter splits a script at every semicolon, also inside the body of a function. This one sends the whole
 * script in one query, which also makes a migration atomic.
 */
class WholeScriptAdapter extends PrismaPg {
  constructor(
    private readonly scripts: Pool,
    schema: string,
  ) {
    super(scripts, { schema });
  }

  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect();
    const whole: Pick<SqlDriverAdapter, 'executeScript'> = {
      executeScript: async (script) => {
        await this.scripts.query(script);
      },
    };
    return Object.assign(adapter, whole);
  }
}
