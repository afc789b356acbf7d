import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryDatabase, waitUntil, type PostgresServer } from '@causeway/test-kit';
import { Client } from 'pg';
import { migrate, MigrationRefusedError, MIGRATIONS, readMigrationStatus, toMigrations } from '../../src/schema.js';

const NEWEST = MIGRATIONS.at(-1)!.name;
const EXPANDS = '20990101000000_expands';
const CONTRACTS = '20990102000000_contracts';

function aMigration(name: string, oldestProgram: string, sql = '') {
  const stated = `INSERT INTO schema_compatibility VALUES ('${name}', '${oldestProgram}');`;
  return toMigrations([{ name, script: `${sql}; ${stated}` }])[0]!;
}

let database: PostgresServer;
let sql: Client;
beforeEach(async () => {
  database = await temporaryDatabase(migrate);
  sql = await connect();
});
afterEach(async () => {
  await sql.end();
  await database.stop();
});

async function connect(): Promise<Client> {
  const client = new Client({ connectionString: database.url });
  // The server can stop before the connection has closed.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

const apply = async (more: readonly ReturnType<typeof aMigration>[], options: object = {}) =>
  migrate(database.url, { migrations: [...MIGRATIONS, ...more], ...options });

const hasTable = async (name: string) =>
  (await sql.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [name])).rows[0]?.found;

describe('migrate', () => {
  it('applies missing migrations, reports each one, and records it like Prisma', async () => {
    const steps: string[] = [];
    const expands = aMigration(EXPANDS, NEWEST, 'CREATE TABLE added (id INT)');
    const onApplied = ({ name }: { name: string }, durationMs: number) => steps.push(`${name} ${durationMs >= 0}`);
    expect(await apply([expands], { onApplied })).toEqual([EXPANDS]);
    expect(steps).toEqual([`${EXPANDS} true`]);
    expect(await apply([expands], { onApplied })).toEqual([]);
    const { rows } = await sql.query('SELECT * FROM _prisma_migrations WHERE migration_name = $1', [EXPANDS]);
    expect(rows).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        checksum: expands.checksum,
        migration_name: EXPANDS,
        started_at: expect.any(Date),
        finished_at: expect.any(Date),
        applied_steps_count: 1,
        logs: null,
        rolled_back_at: null,
      },
    ]);
  });

  it('rolls a failing migration back, and keeps those before it', async () => {
    const wrong = aMigration('20990103000000_wrong', NEWEST, 'CREATE TABLE half (id INT); SELECT 1 / 0');
    const good = aMigration(EXPANDS, NEWEST, 'CREATE TABLE added (id INT)');
    await expect(apply([good, wrong])).rejects.toThrow(
      '20990103000000_wrong was not applied and changed nothing: division by zero',
    );
    expect([await hasTable('added'), await hasTable('half')]).toEqual([true, false]);
    expect((await readMigrationStatus(database.url)).failed).toEqual([]);
  });

  it('gives up waiting for a lock, and names the lock and its holder', async () => {
    const reader = await connect();
    await reader.query('BEGIN; SELECT count(*) FROM operation');
    const { rows } = await reader.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const alters = aMigration(EXPANDS, NEWEST, 'ALTER TABLE operation ADD COLUMN added INT');
    await expect(apply([alters], { lockTimeoutMs: 400 })).rejects.toThrow(
      `${EXPANDS} was not applied and changed nothing: it waited 400 ms for AccessExclusiveLock on operation, ` +
        `which is held by process ${rows[0]?.pid} of causeway. Repeat the command`,
    );
    await reader.query('COMMIT');
    await reader.end();
    expect(await apply([alters], { lockTimeoutMs: 400 })).toEqual([EXPANDS]);
  });

  it('waits for another command, and names it', async () => {
    await sql.query('SELECT pg_advisory_lock(72707369)');
    const sentences: string[] = [];
    const applied = apply([aMigration(EXPANDS, NEWEST)], { onWait: (text: string) => sentences.push(text) });
    await waitUntil('it waits', async () => sentences.length > 0);
    expect(sentences[0]).toMatch(/^waiting for another command that applies migrations: process \d+ of causeway at /);
    await sql.query('SELECT pg_advisory_unlock(72707369)');
    expect(await applied).toEqual([EXPANDS]);
  });

  it('applies a migration that breaks running programs only with `mayContract`', async () => {
    const both = [aMigration(EXPANDS, NEWEST, 'CREATE TABLE added (id INT)'), aMigration(CONTRACTS, EXPANDS)];
    await expect(apply(both)).rejects.toThrow(
      `Nothing was applied: ${CONTRACTS} would break running programs whose newest migration is ${NEWEST}. ` +
        'Sessions of other users: none. Once those programs are stopped or updated, repeat with --contract',
    );
    expect(await hasTable('added')).toBe(false);
    expect(await apply(both, { mayContract: true })).toEqual([EXPANDS, CONTRACTS]);
  });

  it.each([
    [`checksum = 'other'`, 'was applied with a different script'],
    ['finished_at = NULL', 'did not finish'],
  ])('refuses a record with %s', async (change, why) => {
    await sql.query(`UPDATE _prisma_migrations SET ${change} WHERE migration_name = $1`, [NEWEST]);
    const refused = apply([aMigration(EXPANDS, NEWEST, 'CREATE TABLE added (id INT)')]);
    await expect(refused).rejects.toThrow(MigrationRefusedError);
    await expect(refused).rejects.toThrow(`Nothing was applied: ${NEWEST} ${why}`);
    expect(await hasTable('added')).toBe(false);
  });
});

describe('readMigrationStatus', () => {
  it('names the applied migrations, and the compatible programs', async () => {
    const names = MIGRATIONS.map(({ name }) => name);
    expect(await readMigrationStatus(database.url)).toMatchObject({
      applied: names,
      pending: [],
      serves: { from: expect.any(String), to: NEWEST },
    });
    const empty = await temporaryDatabase();
    expect(await readMigrationStatus(empty.url)).toMatchObject({ applied: [], pending: MIGRATIONS, serves: null });
    await empty.stop();
  });
});
