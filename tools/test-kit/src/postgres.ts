import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Client, escapeLiteral } from 'pg';
import type { PostgresReady } from './postgres-process.js';

/** A PostgreSQL server, or one of its databases. */
export interface PostgresServer {
  /** Connection string. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Names the server of the test run for the processes that run test files. */
const SERVER_VARIABLE = 'TEST_POSTGRES_URL';

/**
 * Starts a temporary PostgreSQL server in a process that ends with this one.
 *
 * @throws Error with the server's last log lines when it does not start.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const program = fileURLToPath(new URL('postgres-process.js', import.meta.url));
  const child = fork(program, [], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [] });
  let printed = '';
  child.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const exit = once(child, 'exit');
  const message = await Promise.race([once(child, 'message'), exit.then(() => null)]);
  if (message === null) throw new Error(`PostgreSQL did not start: ${printed}`);
  // The server ends with this process, and must not keep it from exiting.
  child.unref();
  child.channel?.unref();
  (child.stderr as Socket).unref();
  return {
    url: (message[0] as PostgresReady).url,
    stop: async () => {
      child.ref();
      child.kill('SIGTERM');
      await exit;
    },
  };
}

/** Prepares an empty database. The function's name identifies the result. */
type Prepare = (url: string) => Promise<unknown>;

/**
 * Creates a database on the server of the test run, or else on a new server.
 *
 * @param prepare such as migrations. Runs once on a server; later databases are copies of the first.
 * @param settings settings of the database, such as its time zone.
 */
export async function temporaryDatabase(
  prepare: Prepare | null = null,
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const shared = process.env[SERVER_VARIABLE];
  const server = shared === undefined ? await startPostgres() : { url: shared, stop: async () => undefined };
  const name = `test_${randomBytes(6).toString('hex')}`;
  const client = new Client({ connectionString: `${server.url}/postgres` });
  await client.connect();
  try {
    const template = prepare === null ? 'template1' : await preparedDatabase(client, server.url, prepare);
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    for (const [setting, value] of Object.entries(settings))
      await client.query(`ALTER DATABASE ${name} SET ${setting} = ${escapeLiteral(value)}`);
  } finally {
    await client.end();
  }
  return { url: `${server.url}/${name}`, stop: server.stop };
}

/** Counts the rows of every table of a database. */
export async function countRows(url: string): Promise<Readonly<Record<string, string>>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ table: string; count: string }>(
      `SELECT table_name AS table,
              (xpath('//n/text()', query_to_xml(format('SELECT count(*) AS n FROM %I', table_name), true, true, '')))[1] AS count
       FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
    );
    return Object.fromEntries(rows.map(({ table, count }) => [table, count]));
  } finally {
    await client.end();
  }
}

/** Returns a connection string for another login, whose password is its name. */
export function loginUrl(url: string, name: string): string {
  return Object.assign(new URL(url), { username: name, password: name }).href;
}

/** Returns the name of the prepared database. When several test files need it, one prepares it and the others wait. */
async function preparedDatabase(client: Client, serverUrl: string, prepare: Prepare): Promise<string> {
  const name = `prepared_by_${prepare.name.toLowerCase()}`;
  await client.query('SELECT pg_advisory_lock(1)');
  const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
  if (rowCount === 0) {
    const unfinished = `unfinished_${name}`;
    await client.query(`DROP DATABASE IF EXISTS ${unfinished}`);
    await client.query(`CREATE DATABASE ${unfinished}`);
    await prepare(`${serverUrl}/${unfinished}`);
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
  }
  await client.query('SELECT pg_advisory_unlock(1)');
  return name;
}

interface JestRun {
  readonly testPathPatterns?: { readonly patterns: readonly string[] };
}

/**
 * Jest's `globalSetup` for packages with several test files that need PostgreSQL: starts one server for all of them,
 * unless only tests beside the code run, which need no process.
 */
export default async function startForTestRun({ testPathPatterns }: JestRun): Promise<void> {
  const patterns = testPathPatterns?.patterns ?? [];
  if (patterns.length > 0 && patterns.every((pattern) => pattern.includes('src/'))) return;
  process.env[SERVER_VARIABLE] ??= (await startPostgres()).url;
}
