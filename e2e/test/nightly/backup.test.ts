import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRoles, migrate } from '@causeway/store/schema';
import { anAddress } from '@causeway/test-kit';
import { Client } from 'pg';

// docs/operate/backup.md with Debian's PostgreSQL and pgBackRest and the files of deploy/backup: back up, destroy,
// restore, and every refusal.

const DEPLOY = fileURLToPath(new URL('../../../deploy/backup', import.meta.url));
const PROGRAMS = '/usr/lib/postgresql/15/bin';
const lacks = [
  ...(process.getuid?.() === 0 ? [] : ['root']),
  ...['/usr/bin/pgbackrest', `${PROGRAMS}/postgres`].filter((path) => !existsSync(path)),
];
const describeBackups = lacks.length === 0 ? describe : describe.skip;
if (lacks.length > 0) process.stderr.write(`The backups are not tested: this machine lacks ${lacks.join(', ')}\n`);

describeBackups('causeway-backup', () => {
  let folder: string;
  let url: string;
  let variables: Record<string, string>;
  const data = () => join(folder, 'main');

  /** Runs a program as postgres. */
  async function asPostgres(words: readonly string[], changes: Readonly<Record<string, string>> = {}) {
    const settings = Object.entries({ ...variables, ...changes }).map(([name, value]) => `${name}=${value}`);
    const all = ['-u', 'postgres', '--', 'env', '-i', 'PATH=/usr/bin:/bin', ...settings, ...words];
    return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const child = execFile('runuser', all, { cwd: folder }, (_, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, stdout, stderr }),
      );
    });
  }
  const backup = async (words: string, changes?: Readonly<Record<string, string>>) =>
    asPostgres([join(folder, 'causeway-backup'), ...words.split(' ')], changes);
  const succeed = ({ code, stderr }: { code: number; stderr: string }) => {
    if (code !== 0) throw new Error(stderr);
  };
  const control = async (...words: readonly string[]) => {
    succeed(await asPostgres([`${PROGRAMS}/pg_ctl`, '-D', data(), '-w', '-s', ...words]));
  };
  const start = async () => control('-l', join(folder, 'log'), 'start');

  async function query(text: string): Promise<readonly Record<string, unknown>[]> {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Adds a row, and ends the WAL segment once the row is archived. */
  async function mark(): Promise<void> {
    await query('INSERT INTO mark VALUES (clock_timestamp())');
    await asPostgres(['pgbackrest', '--stanza=causeway', 'check']);
  }
  const countMarks = async () => Number((await query('SELECT count(*) FROM mark'))[0]?.['count']);
  const listSegments = () => {
    const archive = join(folder, 'repository/archive/causeway/15-1');
    const files = readdirSync(archive, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.zst'));
    return files.toSorted().map((name) => join(archive, name));
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'causeway-backup-'));
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = `${(server.address() as AddressInfo).port}`;
    server.close();
    url = `postgresql://postgres:postgres@127.0.0.1:${port}/causeway`;
    for (const name of ['causeway-backup', 'pgbackrest.conf', 'postgresql.conf'])
      cpSync(join(DEPLOY, name), join(folder, name));
    execFileSync('chown', ['-R', 'postgres:postgres', folder]);
    variables = {
      ENVIRONMENT: 'testnet',
      BACKUP_SETTINGS: '/dev/null',
      PGDATA: data(),
      SCRATCH: join(folder, 'scratch'),
      PGHOST: folder,
      PGPORT: port,
      PGBACKREST_CONFIG: join(folder, 'pgbackrest.conf'),
      PGBACKREST_LOCK_PATH: join(folder, 'locks'),
      PGBACKREST_REPO1_PATH: join(folder, 'repository'),
      PGBACKREST_REPO1_CIPHER_PASS: 'of-the-test',
      PGBACKREST_PG1_PATH: data(),
      PGBACKREST_PG1_PORT: port,
      PGBACKREST_PG1_SOCKET_PATH: folder,
    };
    await asPostgres([`${PROGRAMS}/initdb`, '-D', data(), '-A', 'peer']);
    appendFileSync(
      join(data(), 'postgresql.conf'),
      `${readFileSync(join(DEPLOY, 'postgresql.conf'), 'utf8')}\nport = ${port}\nunix_socket_directories = '${folder}'\n`,
    );
    // The two lines of the page come first.
    const page = readFileSync(join(DEPLOY, '../../docs/operate/backup.md'), 'utf8');
    const [, hba = '', ident = ''] = /(local all causeway_backup .*)\n[^]*?(backup postgres causeway_backup)/.exec(
      page,
    )!;
    writeFileSync(join(data(), 'pg_hba.conf'), `${hba}\nlocal all all peer\nhost all all 127.0.0.1/32 scram-sha-256\n`);
    appendFileSync(join(data(), 'pg_ident.conf'), `${ident}\n`);
    await start();
    const psql = ['psql', '--username=postgres', '--dbname=postgres'];
    await asPostgres([...psql, `--command=ALTER ROLE postgres PASSWORD 'postgres'`]);
    await asPostgres([...psql, '--command=CREATE DATABASE causeway']);
    await createRoles(url);
    await migrate(url);
    await query(`INSERT INTO deployment (environment, ethereum_chain_id, partner_chain_id, bridge_lock, bridge_mint)
      VALUES ('testnet', 1, 2, '${anAddress()}', '${anAddress()}'); CREATE TABLE mark (at TIMESTAMPTZ)`);
    succeed(await asPostgres(['pgbackrest', '--stanza=causeway', 'stanza-create']));
    succeed(await backup('full'));
  });
  afterAll(async () => {
    if (folder === undefined) return;
    await asPostgres([`${PROGRAMS}/pg_ctl`, '-D', data(), '-m', 'immediate', 'stop']);
    rmSync(folder, { recursive: true, force: true });
  });

  it('notes a backup that it restored, started and read', async () => {
    await mark();
    expect(await backup('check')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d{8}-\d{6}F restored in /),
    });
    expect(await query(`SELECT label, now() - taken_at < '10 min' AS fresh FROM restorable_backup`)).toEqual([
      { label: expect.stringMatching(/F$/), fresh: true },
    ]);
    expect(existsSync(variables['SCRATCH']!)).toBe(false);
  });

  const none = () => () => undefined;
  it.each<[string, string, Readonly<Record<string, string>>, () => () => void]>([
    ['PostgreSQL runs in', 'restore', {}, none],
    ['no backup in the repository that repo1-cipher-pass opens', 'check', { PGBACKREST_REPO1_CIPHER_PASS: 'x' }, none],
    [`is of the environment 'testnet', and this one is 'mainnet'`, 'check', { ENVIRONMENT: 'mainnet' }, none],
    ['the WAL archive has a gap after', 'check', {}, () => hide(listSegments().at(-2)!)],
    ['is not restorable: ', 'check', {}, cutBackup],
  ])('refuses in one line: %s', async (line, words, changes, damage) => {
    await mark();
    await mark();
    const repair = damage();
    const before = readdirSync(folder).toSorted();
    const { code, stdout, stderr } = await backup(words, changes);
    expect({ code, stdout, stderr }).toEqual({ code: 78, stdout: '', stderr: expect.stringContaining(line) });
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(readdirSync(folder).toSorted()).toEqual(before);
    repair();
  });

  function hide(path: string): () => void {
    renameSync(path, join(folder, 'hidden'));
    return () => renameSync(join(folder, 'hidden'), path);
  }
  function cutBackup(): () => void {
    const bundles = join(folder, 'repository/backup/causeway/latest/bundle');
    const path = join(bundles, readdirSync(bundles)[0]!);
    const whole = readFileSync(path);
    truncateSync(path, 1_000);
    return () => writeFileSync(path, whole);
  }

  it('brings a destroyed database back, with all that was archived, and to an earlier moment', async () => {
    await mark();
    const [{ now } = {}] = await query('SELECT now()::text');
    await mark();
    const archived = await countMarks();
    await query('INSERT INTO mark VALUES (now())');
    await control('-m', 'immediate', 'stop');
    rmSync(join(data(), 'base'), { recursive: true });
    const restored = await backup('restore');
    expect(restored).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('the former data folder is'),
    });
    await start();
    expect(await countMarks()).toBe(archived);

    // The archive continues on the new timeline.
    await mark();
    expect(await backup('diff')).toMatchObject({ code: 0 });
    expect(await backup('check')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d{8}-\d{6}F_\d{8}-\d{6}D /),
    });

    await control('-m', 'fast', 'stop');
    const words = [join(folder, 'causeway-backup'), 'restore', '--type=time', `--target=${String(now)}`];
    expect(await asPostgres([...words, '--target-action=promote'])).toMatchObject({ code: 0 });
    await start();
    expect(await countMarks()).toBe(archived - 1);
  });
});
