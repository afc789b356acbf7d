import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { inspectDatabase, migrate } from '../src/index.js';
import { temporaryStore, type TemporaryStore } from './temporary-store.js';

let t: TemporaryStore;
beforeAll(async () => {
  t = await temporaryStore();
});
afterAll(async () => t.close());

async function columns(pool: Pool): Promise<unknown[]> {
  const { rows } = await pool.query<object>(
    `SELECT table_name, column_name, udt_name, is_nullable, column_default, numeric_precision FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name <> '_prisma_migrations' ORDER BY 1, 2`,
  );
  return rows;
}

describe('migrations', () => {
  it('are applied once, and recorded as the command of Prisma records them', async () => {
    expect(await migrate(t.url)).toEqual([]);
    const { rows } = await t.sql.query<{ migration_name: string }>(
      'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL ORDER BY 1',
    );
    expect(rows.map((row) => row.migration_name)).toEqual(['20261122000000_init', '20261122000001_invariants']);
  });

  it('lead to exactly the tables of the schema', async () => {
    const script = fileURLToPath(new URL('../scripts/diff-schema.mjs', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', script]);
    await t.sql.query('CREATE DATABASE by_schema');
    const other = new Pool({ connectionString: t.url.replace(/[^/]*$/, 'by_schema') });
    // The server may stop before the last connection has closed.
    other.on('error', () => undefined);
    try {
      await other.query(stdout);
      expect(await columns(t.sql)).toEqual(await columns(other));
    } finally {
      await other.end();
    }
  });
});

describe('is_hex', () => {
  it.each<[string | null, number, boolean | null]>([
    [`0x${'0f'.repeat(32)}`, 32, true],
    [`0x${'a9'.repeat(20)}`, 20, true],
    [`0x${'0f'.repeat(31)}`, 32, false],
    [`0x${'0f'.repeat(33)}`, 32, false],
    [`0x${'0F'.repeat(32)}`, 32, false],
    [`0x${'0f'.repeat(31)}0g`, 32, false],
    [`0x${'0f'.repeat(31)}0\n`, 32, false],
    [`\n0x${'0f'.repeat(31)}0`, 32, false],
    ['0f'.repeat(33), 32, false],
    ['', 32, false],
    [null, 32, null],
  ])('of %j and %d bytes is %s', async (value, bytes, isHex) => {
    const { rows } = await t.sql.query('SELECT is_hex($1, $2) AS is_hex', [value, bytes]);
    expect(rows).toEqual([{ is_hex: isHex }]);
  });
});

describe('inspectDatabase', () => {
  it('reads version and time, and that nothing is missing', async () => {
    const { versionNumber, nowMs, migrations } = await inspectDatabase(t.url);
    expect(versionNumber).toBeGreaterThan(150_000);
    expect(Math.abs(Date.now() - nowMs)).toBeLessThan(5_000);
    expect(migrations).toEqual({ missing: [], failed: [], unknown: [] });
  });

  it('names the migrations that are missing, that failed, and that a newer version applied', async () => {
    const empty = t.url.replace(/[^/]*$/, 'empty_database');
    await t.sql.query('CREATE DATABASE empty_database');
    const all = ['20261122000000_init', '20261122000001_invariants'];
    expect((await inspectDatabase(empty)).migrations).toEqual({ missing: all, failed: [], unknown: [] });
    await migrate(empty);
    const sql = new Pool({ connectionString: empty });
    sql.on('error', () => undefined);
    await sql.query(`UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = $1`, [all[1]]);
    await sql.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'x', '2030_newer', now())`,
    );
    await sql.end();
    expect((await inspectDatabase(empty)).migrations).toEqual({
      missing: [],
      failed: [all[1]],
      unknown: ['2030_newer'],
    });
  });
});
