import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@causeway/store/embedded-postgres';

// The wrapper process of PostgreSQL: ends it when the process above ends, and ends itself when PostgreSQL does.
// Argument: the data directory. Sends the process id and the URL of the server over IPC.

const LOOK_EVERY_MS = 250;

const [dataDirectory] = process.argv.slice(2);
if (dataDirectory === undefined) throw new Error('usage: postgres.js <data directory>');
const onLog = (text: string) => void process.stdout.write(`${text}\n`);
const server = await startEmbeddedPostgres({ dataDirectory, onLog });
// The first line of this file of PostgreSQL is the process id of the server.
const pid = Number(readFileSync(join(dataDirectory, 'postmaster.pid'), 'utf8').split('\n')[0]);

let isEnding = false;
const end = () => {
  if (isEnding) return;
  isEnding = true;
  void server.stop().finally(() => process.exit(0));
};
process.once('disconnect', end);
process.once('SIGTERM', end);
setInterval(() => {
  if (isEnding || isAlive(pid)) return;
  process.stderr.write('Error: the PostgreSQL server ended\n');
  process.exit(1);
}, LOOK_EVERY_MS);
// The process above may have ended while this one was starting.
if (process.send !== undefined && !process.connected) end();
else process.send?.({ pid, url: server.url });

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    // The server runs as a user whom this process may signal, so this means that it has ended.
    return false;
  }
}
