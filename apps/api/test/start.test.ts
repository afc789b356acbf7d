import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  anAddress,
  anAddressBook,
  loginUrl,
  temporaryDatabase,
  waitUntil,
  type PostgresServer,
} from '@causeway/test-kit';
import { Client } from 'pg';
import { apiVariables } from '../src/configuration.js';
import { makeTables } from './server/make-tables.js';
import { freePort } from './server/api-process.js';

// The compiled program in its own process, as users start it.

const MAIN = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url));

let directory: string;
let database: PostgresServer;
let valid: Record<string, string>;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'causeway-api-start-'));
  const book = join(directory, 'address-book.json');
  writeFileSync(book, JSON.stringify(anAddressBook()));
  database = await temporaryDatabase(makeTables);
  valid = {
    ENVIRONMENT: 'local',
    DATABASE_URL: loginUrl(database.url, 'causeway_api'),
    ETHEREUM_RPC_URLS: 'http://127.0.0.1:9',
    PARTNER_RPC_URLS: 'http://127.0.0.1:9',
    ADDRESS_BOOK: book,
    PORT: '0',
    LOG_LEVEL: 'silent',
  };
});
afterAll(async () => {
  await database?.stop();
  rmSync(directory, { recursive: true, force: true });
});

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program until it ends. */
async function run(
  env: Record<string, string>,
  { words = [], execArgv = [] }: { words?: string[]; execArgv?: string[] } = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [...execArgv, MAIN, ...words], { env, timeout: 50_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, stdout, stderr });
    });
  });
}

const lines = (text: string) => text.trimEnd().split('\n');

describe('an unusable environment', () => {
  it('is one line that names the variable, without a stack trace, and exit code 78', async () => {
    const { code, stdout, stderr } = await run({ ...valid, DATABASE_URL: 'hello' });
    expect(code).toBe(78);
    expect(stdout).toBe('');
    expect(lines(stderr)).toEqual([
      'The configuration is invalid (--help lists all variables):',
      expect.stringMatching(/^DATABASE_URL must be a PostgreSQL connection string such as /),
    ]);
  });

  it('a port in use is one line that names HOST and PORT, and exit code 1, because it can become free', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const [{ code, stderr }, metrics, admin] = await Promise.all([
      run({ ...valid, PORT: String(port) }),
      run({ ...valid, METRICS_PORT: String(port) }),
      run({ ...valid, ADMIN_PORT: String(port), ADMIN_ALLOW_LIST: `${anAddress()}:admin` }),
    ]);
    other.close();
    expect(admin).toMatchObject({ code: 1, stderr: expect.stringMatching(/^ADMIN_HOST and ADMIN_PORT must /) });
    expect(metrics).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^METRICS_HOST and METRICS_PORT must /),
    });
    expect(code).toBe(1);
    expect(lines(stderr)).toHaveLength(1);
    expect(stderr).toMatch(new RegExp(`^HOST and PORT must .*127\\.0\\.0\\.1:${port}`));
  });
});

describe('a database without tables', () => {
  it('with a database of another deployment', async () => {
    const sql = new Client({ connectionString: database.url });
    await sql.connect();
    await sql.query(
      `INSERT INTO deployment (environment, ethereum_chain_id, partner_chain_id, bridge_lock, bridge_mint)
       VALUES ('testnet', 1, 2, $1, $1)`,
      [anAddress().toLowerCase()],
    );
    const { code, stderr } = await run(valid);
    await sql.query('DELETE FROM deployment');
    await sql.end();
    expect({ code, lines: lines(stderr) }).toEqual({
      code: 78,
      lines: [
        expect.stringMatching(/it belongs to testnet, .* -> DATABASE_URL or ADDRESS_BOOK is of another environment/),
      ],
    });
  });

  it('is one line that says what to do, and exit code 78', async () => {
    const empty = await temporaryDatabase();
    const { code, stdout, stderr } = await run({ ...valid, DATABASE_URL: empty.url });
    await empty.stop();
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
    expect(stderr).toMatch(
      /^The database does not fit this program: migrations are missing: 20261122000000_init -> .*\n$/,
    );
  });
});

describe('the program', () => {
  it('lists every variable with --help, which needs none of them', async () => {
    const { code, stdout, stderr } = await run({}, { words: ['--help'] });
    expect(code).toBe(0);
    expect(stderr).toBe('');
    const listed = stdout.match(/^ {2}[A-Z_]+/gm)?.map((name) => name.trim());
    expect(listed).toEqual(Object.keys(apiVariables.shape));
  });

  it('says in one line that Node.js is too old', async () => {
    const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } })`;
    const execArgv = ['--import', `data:text/javascript,${encodeURIComponent(older)}`];
    const { code, stdout, stderr } = await run(valid, { execArgv });
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(lines(stderr)).toEqual([expect.stringMatching(/^Node\.js 24 or newer is required, but this is 20\.19\.0/)]);
  });

  it('listens, answers, and ends with the process that started it', async () => {
    const port = await freePort();
    const child = fork(MAIN, [], { env: { ...valid, PORT: String(port) }, execArgv: [], stdio: 'ignore' });
    const exit = once(child, 'exit');
    const answer = await waitUntil('the API answers', () => fetch(`http://127.0.0.1:${port}/health`));
    // Without a relayer and nodes: unhealthy, in the specified form.
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ status: 'unhealthy' });
    child.disconnect();
    expect(await exit).toEqual([0, null]);
  });
});
