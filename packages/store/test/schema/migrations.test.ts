import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { inspectDatabase, migrate, openStore } from '../../src/index.js';
import { useStore } from '../temporary-store.js';
import { aDeposit } from '../../src/test/rows.js';

const FOLDER = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));
const MIGRATIONS = readdirSync(FOLDER)
  .filter((name) => /^\d{14}_/.test(name))
  .toSorted();
const NONE = { missing: [], failed: [], changed: [], tooNew: [] };

const t = useStore();

async function columns(pool: Pool): Promise<unknown[]> {
  const { rows } = await pool.query<object>(
    `SELECT table_name, column_name, udt_name, is_nullable, replace(column_default, 'CURRENT_TIMESTAMP', 'now()') AS column_default,
       numeric_precision FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name <> '_prisma_migrations' ORDER BY 1, 2`,
  );
  return rows;
}

describe('migrations', () => {
  it("are applied once, and recorded like Prisma's command records them", async () => {
    expect(await migrate(t.url)).toEqual([]);
    const { rows } = await t.sql.query<{ migration_name: string }>(
      'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL ORDER BY 1',
    );
    expect(rows.map((row) => row.migration_name)).toEqual(MIGRATIONS);
  });

  it('each state the oldest compatible program', async () => {
    const { rows } = await t.sql.query<{ migration: string; oldest_program: string }>(
      'SELECT migration, oldest_program FROM schema_compatibility',
    );
    const stated = new Map(rows.map(({ migration, oldest_program }) => [migration, oldest_program]));
    for (const migration of MIGRATIONS)
      expect({ migration, isProgram: MIGRATIONS.includes(stated.get(migration) ?? '') }).toEqual({
        migration,
        isProgram: true,
      });
  });

  it('result in exactly the tables of the schema', async () => {
    const script = fileURLToPath(new URL('../../scripts/diff-schema.mjs', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', script]);
    await t.sql.query('CREATE DATABASE by_schema');
    const other = new Pool({ connectionString: t.url.replace(/[^/]*$/, 'by_schema') });
    // The server can stop before the last connection has closed.
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

describe('a symbol of an asset', () => {
  it.each<[string, boolean]>([
    ['WBTC', true],
    ['1', true],
    ['ABCDEFGHIJKL', true],
    ['ABCDEFGHIJKLM', false],
    ['Wbtc', false],
    ['', false],
    ['USDC ', false],
    ['USDC\n', false],
  ])('%j is stored: %s', async (symbol, isStored) => {
    const stored = t.sql.query('SELECT $1::"Asset"', [symbol]).then(
      () => true,
      () => false,
    );
    expect(await stored).toBe(isStored);
  });

  it('that a program does not know prevents its start', async () => {
    await t.due(aDeposit({ asset: 'WBTC' }));
    await t.due(aDeposit({ asset: 'ETH' }));
    await expect(t.store.assertCompatible(['ETH', 'USDC', 'XCN'])).rejects.toThrow(
      'rows of WBTC, which the address book does not name -> set ADDRESS_BOOK',
    );
    await t.store.assertCompatible(['ETH', 'USDC', 'XCN', 'WBTC']);
    await t.store.assertCompatible();
  });
});

describe('assertPrimary', () => {
  const ahead = (ms: number) => () => Date.now() + ms;

  it('accepts a clock within 30 seconds, on both sides', async () => {
    for (const ms of [0, 29_000, -29_000]) await t.store.assertPrimary(ahead(ms));
    for (const ms of [31_000, -31_000])
      await expect(t.store.assertPrimary(ahead(ms))).rejects.toThrow(
        /its clock and that of this machine differ by 31 s/,
      );
  });

  it('does not mistake a slow answer for a clock difference', async () => {
    let calls = 0;
    const passing = t.store.assertPrimary(() => Date.now() + (calls++ === 0 ? -60_000 : 60_000));
    await expect(passing).resolves.toBeUndefined();
  });
});

describe('inspectDatabase', () => {
  it('reads version and time, and finds nothing missing', async () => {
    const { versionNumber, clockDifferenceMs, migrations } = await inspectDatabase(t.url, () => Date.now() - 60_000);
    expect(versionNumber).toBeGreaterThan(150_000);
    expect(clockDifferenceMs).toBeGreaterThan(50_000);
    expect(migrations).toEqual(NONE);
  });

  it('names missing migrations, failed ones, and incompatible ones of a newer program', async () => {
    const empty = t.url.replace(/[^/]*$/, 'empty_database');
    await t.sql.query('CREATE DATABASE empty_database');
    const store = openStore({ databaseUrl: empty, onIdleError: () => undefined });
    const state = async () => {
      const { migrations } = await inspectDatabase(empty, Date.now);
      const refusal = await store.assertCompatible().catch((error: Error) => error.message);
      return { ...migrations, refusal };
    };
    expect(await state()).toEqual({
      ...NONE,
      missing: MIGRATIONS,
      refusal: expect.stringContaining(`migrations are missing: ${MIGRATIONS.join(', ')} -> apply them`),
    });
    await migrate(empty);
    const fits = { ...NONE, refusal: undefined };
    expect(await state()).toEqual(fits);
    const sql = new Pool({ connectionString: empty });
    sql.on('error', () => undefined);
    const newest = MIGRATIONS.at(-1);
    const apply = (name: string, oldestProgram: string | undefined) =>
      sql.query(
        `WITH applied AS (INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ($1, 'x', $1, now()))
         INSERT INTO schema_compatibility SELECT $1, $2::text WHERE $2 IS NOT NULL`,
        [name, oldestProgram ?? null],
      );
    await apply('2030_serves_us', newest);
    expect(await state()).toEqual(fits);
    await apply('2031_too_new', '2030_serves_us');
    await apply('2032_states_nothing', undefined);
    await sql.query(`UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = $1`, [newest]);
    expect(await state()).toEqual({
      missing: [],
      failed: [newest],
      changed: [],
      tooNew: ['2031_too_new', '2032_states_nothing'],
      refusal: expect.stringContaining('migrations do not serve this release: 2031_too_new, 2032_states_nothing'),
    });
    await sql.end();
    await store.close();
  });
});
