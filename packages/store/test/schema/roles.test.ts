import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loginUrl, startPostgres, temporaryDatabase, type PostgresServer } from '@causeway/test-kit';
import { Client, type DatabaseError } from 'pg';
import { ACCESS, createRoles, migrate, MIGRATIONS, ROLES, toMigrations, type Role } from '../../src/schema.js';
import { openStore, type Store } from '../../src/index.js';
import { aDeposit, anIntent } from '../../src/test/rows.js';

const PASSWORDS = Object.fromEntries(ROLES.map((role) => [role, role]));
const GRANTED = ROLES.filter((role) => role !== 'causeway_owner');
const STATEMENTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;

let database: PostgresServer;
let sql: Client;
const clients = new Map<Role, Client>();
let api: Store;

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  // The server can stop before the connection has closed.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

beforeAll(async () => {
  database = await temporaryDatabase(migrate);
  await createRoles(database.url, PASSWORDS);
  sql = await connect(database.url);
  for (const role of ROLES) clients.set(role, await connect(loginUrl(database.url, role)));
  api = openStore({ databaseUrl: loginUrl(database.url, 'causeway_api'), onIdleError: () => undefined });
});
afterAll(async () => {
  await api.close();
  for (const client of [...clients.values(), sql]) await client.end();
  await database.stop();
});

/** Runs a statement as a role and rolls it back. Returns the SQLSTATE of its failure; null for success. */
async function attempt(role: Role, statement: string): Promise<string | null> {
  const client = clients.get(role)!;
  await client.query('BEGIN');
  const code = await client.query(statement).then(
    () => null,
    (error: DatabaseError) => error.code ?? error.message,
  );
  await client.query('ROLLBACK');
  return code;
}

const isRefused = async (role: Role, statement: string) => (await attempt(role, statement)) === '42501';

/** The actual rights of a role on a table, in the syntax of GRANT. */
async function tryRights(role: Role, table: string, columns: readonly string[]): Promise<string | null> {
  const makeStatement = {
    SELECT: (names: readonly string[]) => `SELECT ${names.join(', ')} FROM ${table} LIMIT 0`,
    INSERT: () => `INSERT INTO ${table} DEFAULT VALUES`,
    UPDATE: (names: readonly string[]) =>
      `UPDATE ${table} SET ${names.map((name) => `${name} = DEFAULT`).join(', ')} WHERE false`,
    DELETE: () => `DELETE FROM ${table} WHERE false`,
  };
  const found: string[] = [];
  for (const right of STATEMENTS) {
    if (!(await isRefused(role, makeStatement[right](columns)))) found.push(right);
    else if (right === 'SELECT' || right === 'UPDATE') {
      const allowed: string[] = [];
      for (const column of columns) if (!(await isRefused(role, makeStatement[right]([column])))) allowed.push(column);
      if (allowed.length > 0) found.push(`${right} (${allowed.join(', ')})`);
    }
  }
  return found.length === 0 ? null : found.join(', ');
}

async function readColumns(): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await sql.query<{ table: string; columns: string[] }>(
    `SELECT c.relname AS table, array_agg(quote_ident(attname) ORDER BY attnum) AS columns
     FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped GROUP BY 1`,
  );
  return new Map(rows.map(({ table, columns }) => [table, columns]));
}

describe('the access table', () => {
  it('lists exactly the tables of the database', async () => {
    expect(Object.keys(ACCESS).toSorted()).toEqual([...(await readColumns()).keys()].toSorted());
  });

  it.each(GRANTED)('matches the actual rights of %s on each table', async (role) => {
    const found: Record<string, string | null> = {};
    for (const [table, columns] of await readColumns()) found[table] = await tryRights(role, table, columns);
    const expected = (rights: Readonly<Partial<Record<Role, string | null>>>) => rights[role] ?? null;
    expect(found).toEqual(
      Object.fromEntries(Object.entries(ACCESS).map(([table, rights]) => [table, expected(rights)])),
    );
  });

  it.each(GRANTED)('does not let %s create, alter or truncate a table', async (role) => {
    for (const statement of [
      'CREATE TABLE mine (id INT)',
      'ALTER TABLE operation ADD COLUMN mine INT',
      'DROP TRIGGER operation_terms_are_fixed ON operation',
      'TRUNCATE admin_audit',
      'CREATE TEMPORARY TABLE mine (id INT)',
      'SET ROLE causeway_owner',
      'SET session_replication_role = replica',
    ])
      expect([statement, await attempt(role, statement)]).toEqual([statement, '42501']);
  });

  it('matches the page', () => {
    const page = readFileSync(new URL('../../../../docs/reference/database-roles.md', import.meta.url), 'utf8');
    const rows = Object.entries(ACCESS).map(([table, rights]) =>
      [table, ...Object.values(rights).map((right) => right ?? 'nothing')].join(' | '),
    );
    const written = page
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) => line.slice(1, -1).replaceAll('`', '').replaceAll(/ +/g, ' ').trim());
    expect(written).toEqual(rows);
  });
});

describe('causeway_api', () => {
  const COLUMNS = [
    'id, kind, direction, asset, status, amount, fee, fee_bps, output_amount, sender, recipient, origin_chain_id',
    'destination_chain_id, origin_nonce, required_confirmations, hold_released_at',
  ].join(', ');
  const insert = (terms: ReturnType<typeof aDeposit>, over: Readonly<Record<string, string>> = {}) => {
    const row = { status: 'PENDING_ORIGIN_TX', ...terms, ...over };
    const toText = (_: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);
    const toSnake = (key: string) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const json = JSON.stringify(row, toText).replaceAll(/"\w+":/g, toSnake);
    return `INSERT INTO operation (${COLUMNS}) SELECT ${COLUMNS} FROM jsonb_populate_record(NULL::operation, '${json}')`;
  };

  it.each([
    ['a deposit that it invented', insert(aDeposit(), { status: 'AWAITING_RELAY' })],
    ['an intent that it calls paid', insert(anIntent(), { status: 'AWAITING_RELAY' })],
    ['an intent without a hold', insert(anIntent(), { holdReleasedAt: '2026-01-01' })],
  ])('cannot write %s', async (_, statement) => {
    expect(await attempt('causeway_api', statement)).toBe('42501');
    // For the relayer, the same row must meet only the table's constraints.
    expect(await attempt('causeway_relayer', statement)).not.toBe('42501');
  });

  it('can insert and lock a pending intent, but not change it', async () => {
    const terms = anIntent();
    await sql.query(insert(terms));
    const where = `WHERE id = '${terms.id}'`;
    expect(await attempt('causeway_api', insert(anIntent()))).toBeNull();
    expect(await attempt('causeway_api', `SELECT 1 FROM operation ${where} FOR UPDATE`)).toBeNull();
    expect(await attempt('causeway_api', `UPDATE operation SET updated_at = now() ${where}`)).toBe('42501');
    expect(await attempt('causeway_relayer', `UPDATE operation SET updated_at = now() ${where}`)).toBeNull();
  });

  it('can end a request only after it expired', async () => {
    const id = (digit: string) => `0x${digit.repeat(64)}`;
    const add = (digit: string, validUntil: string) =>
      sql.query(
        `INSERT INTO admin_request (id, terms, reason, version, decided_on, requested_by, approvals_needed, valid_until, state, created_at)
         VALUES ($1, $2, 'why', $1, '{}', $3, 2, ${validUntil}, 'QUEUED', now())`,
        [id(digit), JSON.stringify({ digit }), `0x${digit.repeat(40)}`],
      );
    await add('1', `now() + interval '1 hour'`);
    await add('2', `now() - interval '1 hour'`);
    const end = (digit: string, state: string) =>
      `UPDATE admin_request SET state = '${state}', outcome = 'x', ended_at = now() WHERE id = '${id(digit)}'`;
    const endings = ['DONE', 'REFUSED', 'EXPIRED'].flatMap((state) =>
      ['1', '2'].map((digit) => [digit, state] as const),
    );
    const outcomes = [];
    for (const [digit, state] of endings) outcomes.push(await attempt('causeway_api', end(digit, state)));
    expect(outcomes).toEqual(['42501', '42501', '42501', '42501', '42501', null]);
    for (const [digit, state] of endings) expect(await attempt('causeway_relayer', end(digit, state))).toBeNull();
  });
});

describe('causeway_backup', () => {
  it('makes backups, reads all settings, and notes a checked backup without a right to its table', async () => {
    const start = `SELECT pg_backup_start('test', true), pg_switch_wal(), current_setting('data_directory')`;
    expect(await attempt('causeway_backup', start)).toBeNull();
    for (const role of ['causeway_relayer', 'causeway_owner'] as const)
      expect(await attempt(role, start)).toBe('42501');
    const note = (takenAt: string) => `SELECT note_restorable_backup('20261130-050000F', '${takenAt}')`;
    await clients.get('causeway_backup')!.query(note('2026-11-30T05:00:00Z'));
    // A later check of the same backup does not make it younger.
    await clients.get('causeway_backup')!.query(note('2026-12-01T05:00:00Z'));
    const { rows } = await clients.get('causeway_relayer')!.query('SELECT label, taken_at FROM restorable_backup');
    expect(rows).toEqual([{ label: '20261130-050000F', taken_at: new Date('2026-11-30T05:00:00Z') }]);
    expect(await attempt('causeway_relayer', note('2026-11-30T05:00:00Z'))).toBe('42501');
  });
});

describe('another login', () => {
  it('cannot connect, and has no rights', async () => {
    await sql.query(`CREATE ROLE stranger LOGIN PASSWORD 'stranger'`);
    await expect(connect(loginUrl(database.url, 'stranger'))).rejects.toThrow('permission denied for database');
    const { rows } = await sql.query(`SELECT has_schema_privilege('stranger', 'public', 'USAGE') AS uses`);
    expect(rows).toEqual([{ uses: false }]);
  });
});

describe('createRoles', () => {
  it('is idempotent, changes a password, and refuses one that SASLprep could alter', async () => {
    const url = loginUrl(database.url, 'causeway_readonly').replace(':causeway_readonly@', ':another@');
    await createRoles(database.url, { causeway_readonly: 'another' });
    await (await connect(url)).end();
    await createRoles(database.url);
    await (await connect(url)).end();
    const { rows } = await sql.query<{ rolpassword: string }>(
      `SELECT rolpassword FROM pg_authid WHERE rolname = 'causeway_readonly'`,
    );
    // A verifier is stored unchanged.
    await createRoles(database.url, { causeway_readonly: rows[0]!.rolpassword });
    await (await connect(url)).end();
    await expect(createRoles(database.url, { causeway_readonly: 'pässword' })).rejects.toThrow(
      'No role was changed: the password of causeway_readonly must be printable ASCII without spaces, or a SCRAM verifier',
    );
    await expect(connect(url.replace(':another@', ':wrong@'))).rejects.toThrow('password');
  });

  it("needs no superuser, and keeps the former owner's programs working", async () => {
    const server = await startPostgres();
    const superuser = await connect(`${server.url}/postgres`);
    await superuser.query(`CREATE ROLE former LOGIN CREATEROLE PASSWORD 'former'`);
    await superuser.query('CREATE DATABASE bridge OWNER former');
    await superuser.end();
    const former = loginUrl(`${server.url}/bridge`, 'former');
    await migrate(former);
    expect(await createRoles(former, PASSWORDS)).toEqual({ members: ['former'], canBackUp: false });
    const store = openStore({ databaseUrl: former, onIdleError: () => undefined });
    expect(await store.lease.acquire('relayer', 'former', 1_000)).not.toBeNull();
    await store.close();

    const NEXT = '20990101000000_next';
    const script = `CREATE TABLE next (id INT); INSERT INTO schema_compatibility VALUES ('${NEXT}', '${MIGRATIONS.at(-1)!.name}')`;
    const seen: boolean[] = [];
    const migrations = [...MIGRATIONS, ...toMigrations([{ name: NEXT, script }])];
    await migrate(former, { migrations, onRoles: (hasRoles) => seen.push(hasRoles) });
    expect(seen).toEqual([true]);
    const client = await connect(loginUrl(former, 'causeway_api'));
    await client.query('SELECT count(*) FROM operation');
    await expect(client.query('SELECT count(*) FROM next')).rejects.toThrow('permission denied for table next');
    await client.end();
    await expect(migrate(loginUrl(former, 'causeway_relayer'))).rejects.toThrow(
      'The tables belong to causeway_owner: DATABASE_URL must be its login',
    );
    await server.stop();
  });
});
