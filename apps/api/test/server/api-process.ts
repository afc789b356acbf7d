import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AddressBook } from '@causeway/protocol';
import { migrate } from '@causeway/store';
import { anAddressBook, temporaryDatabase, waitUntil } from '@causeway/test-kit';
import { WITHOUT_RATES } from '../temporary-api.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** The compiled program in a process of its own, as users start it. */
export interface ApiProcess {
  readonly port: number;
  readonly url: string;
  readonly child: ChildProcess;
  /** The lines of its log so far. */
  readonly log: () => readonly Readonly<Record<string, unknown>>[];
  readonly stop: () => Promise<void>;
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
}

/** A database with the tables of the bridge. */
export async function migratedDatabase() {
  const database = await temporaryDatabase();
  await migrate(database.url);
  return database;
}

/** Starts the program, without nodes unless `variables` name some, and waits until it answers. */
export async function startApiProcess(
  databaseUrl: string,
  variables: Readonly<Record<string, string>> = {},
  book: AddressBook = anAddressBook(),
): Promise<ApiProcess> {
  const directory = mkdtempSync(join(tmpdir(), 'causeway-api-process-'));
  const bookFile = join(directory, 'address-book.json');
  writeFileSync(bookFile, JSON.stringify(book));
  const port = await freePort();
  const child = fork(MAIN, [], {
    env: {
      ENVIRONMENT: 'local',
      DATABASE_URL: databaseUrl,
      ETHEREUM_RPC_URLS: 'http://127.0.0.1:9',
      PARTNER_RPC_URLS: 'http://127.0.0.1:9',
      ADDRESS_BOOK: bookFile,
      PORT: String(port),
      LOG_LEVEL: 'debug',
      ...WITHOUT_RATES,
      ...variables,
    },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (printed += String(chunk)));
  const exit = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  await waitUntil('the API listens', async () => {
    if (child.exitCode !== null) throw new Error(`The API ended: ${printed}`);
    return fetch(`${url}/api/v1/bridge/nothing`).catch(() => null);
  });
  return {
    port,
    url,
    child,
    log: () =>
      printed
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    stop: async () => {
      child.kill('SIGKILL');
      await exit;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** An answer as its bytes show it. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends bytes on a connection of its own, and reads until the server closes it, or for as long as `readMs`. */
export async function sendBytes(port: number, bytes: string, readMs = 3_000): Promise<RawAnswer> {
  const socket = connect({ port, host: '127.0.0.1' });
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1'))).on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(bytes);
  const timer = setTimeout(() => socket.destroy(), readMs);
  await once(socket, 'close');
  clearTimeout(timer);
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [first = '', ...fields] = head.split('\r\n');
  const headers = fields.map((field) => [field.split(': ', 1)[0]?.toLowerCase(), field.slice(field.indexOf(': ') + 2)]);
  return { status: Number(first.split(' ')[1]), headers: Object.fromEntries(headers) as Record<string, string>, body };
}
