import { Client } from 'pg';
import { startEmbeddedPostgres, type EmbeddedServer } from './postgres-server.js';

// Wrapper process of a PostgreSQL server: ends the server when the parent process ends, and exits when the server does.
// Argument: the data directory; without it the data is temporary. Sends the server's process id, the connection string
// without a database, and part of the server's command line. Creates the database `causeway`.

/** The message of the process when the server is ready. */
export type PostgresReady = Pick<EmbeddedServer, 'pid' | 'url' | 'command'>;

const [dataDirectory] = process.argv.slice(2);
const onLog = (text: string) => void process.stdout.write(`${text}\n`);
// Ctrl-C reaches all processes of a terminal. This one must end after its parent.
process.on('SIGINT', () => undefined);
const starting = startEmbeddedPostgres(dataDirectory === undefined ? { onLog } : { dataDirectory, onLog });
let isEnding = false;
const end = () => {
  if (isEnding) return;
  isEnding = true;
  void starting.then(async (server) => server.stop()).finally(() => process.exit(0));
};
process.once('disconnect', end);
process.once('SIGTERM', end);

try {
  const server = await starting;
  void server.ended.then(async () => {
    if (isEnding) return;
    isEnding = true;
    await server.stop();
    process.stderr.write('Error: the PostgreSQL server ended\n');
    process.exit(1);
  });
  await createDatabaseOnce(server.url);
  const { pid, url, command } = server;
  process.send?.({ pid, url, command } satisfies PostgresReady);
} catch (error) {
  process.stderr.write(`${String(error)}\n`);
  await starting.then(async (server) => server.stop()).catch(() => undefined);
  process.exit(1);
}
// The parent process can have ended during the start.
if (process.send !== undefined && !process.connected) end();

async function createDatabaseOnce(url: string): Promise<void> {
  const client = new Client({ connectionString: `${url}/postgres` });
  await client.connect();
  try {
    const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = 'causeway'");
    if (rowCount === 0) await client.query('CREATE DATABASE causeway');
  } finally {
    await client.end();
  }
}
