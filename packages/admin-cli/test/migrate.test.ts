import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPostgres, type PostgresServer } from '@causeway/test-kit';
import { MIGRATIONS } from '@causeway/store/schema';

const NO_ROLES = 'The roles do not exist: see causeway-admin migrate roles.\n';
const CLI = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url));
const NEWEST = MIGRATIONS.at(-1)!.name;

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => server?.stop());

/** Runs the command on the database `postgres`. */
async function run(words: string, url = `${server.url}/postgres`, variables: Readonly<Record<string, string>> = {}) {
  const env = { DATABASE_URL: url, ...variables };
  const done = promisify(execFile)(process.execPath, [CLI, ...words.split(' ')], { env });
  return done.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

describe('causeway-admin migrate', () => {
  it('shows pending migrations, applies them with one line each, and shows them as applied', async () => {
    const lines = MIGRATIONS.map(({ name, oldestProgram }) => ({
      name,
      rest: `, serves programs from ${oldestProgram}`,
    }));
    expect(await run('migrate status')).toMatchObject({
      code: 2,
      stdout: `${lines.map(({ name, rest }) => `pending  ${name}${rest}\n`).join('')}The database is empty.\n`,
    });
    const { code, stdout } = await run('migrate apply');
    expect(stdout.replaceAll(/\d+ ms/g, 'n ms')).toBe(
      `${lines.map(({ name, rest }) => `${name}: n ms${rest}\n`).join('')}${NO_ROLES}Applied: ${lines.length}.\n`,
    );
    expect(code).toBe(0);
    expect(await run('migrate apply --lock-timeout 1000')).toMatchObject({
      code: 0,
      stdout: `${NO_ROLES}No migration was pending.\n`,
    });
    const status = await run('migrate status');
    expect(status).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`The schema serves programs from \\w+ to ${NEWEST}, each named`)),
    });
    expect(status.stdout).toContain(`applied  ${NEWEST}\n`);
  });

  it('creates the roles, with which the owner applies migrations', async () => {
    const roles = await run('migrate roles', undefined, { OWNER_PASSWORD: 'of-the-owner' });
    expect(roles).toMatchObject({ code: 0, stderr: '' });
    expect(roles.stdout).toBe(
      'causeway_owner: password set\ncauseway_relayer: password unchanged\ncauseway_api: password unchanged\n' +
        'causeway_readonly: password unchanged\ncauseway_backup: password unchanged\n' +
        'causeway_owner owns the tables. The other roles have the rights of this version.\n',
    );
    const { port } = new URL(server.url);
    expect(
      await run('migrate apply', `postgresql://causeway_owner:of-the-owner@127.0.0.1:${port}/postgres`),
    ).toMatchObject({ code: 0, stdout: 'The roles have their rights.\nNo migration was pending.\n' });
    expect(await run('migrate roles', undefined, { API_PASSWORD: 'pässword' })).toMatchObject({
      stderr: expect.stringContaining('API_PASSWORD must be printable ASCII without spaces, or a SCRAM verifier'),
    });
  });

  it.each([
    ['migrate apply', 'mysql://127.0.0.1/causeway', 'DATABASE_URL must be a PostgreSQL connection string'],
    ['migrate status', '', 'DATABASE_URL is not set'],
    ['migrate status', 'postgresql://127.0.0.1:9/causeway', 'ECONNREFUSED 127.0.0.1:9'],
    ['migrate apply --lock-timeout never', 'postgresql://127.0.0.1:9/causeway', 'must be a whole number'],
  ])('%s with %j is refused', async (words, url, why) => {
    expect(await run(words, url)).toMatchObject({ code: expect.any(Number), stderr: expect.stringContaining(why) });
  });
});
