import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AddressBook } from '@causeway/protocol';
import { anAddressBook, checkFetchedAnswers, loginUrl, temporaryDatabase, waitUntil } from '@causeway/test-kit';
import { makeTables } from './make-tables.js';
import { answerChecker, WITHOUT_RATES } from '../temporary-api.js';

const MAIN = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url));

/** The compiled program in its own process, as users start it. */
export interface ApiProcess {
  readonly port: number;
  readonly url: string;
  readonly child: ChildProcess;
  /** The log lines so far. */
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
  return temporaryDatabase(makeTables);
}

/**
 * Starts the program as `causeway_api`, without nodes and on a free port unless `variables` name some, and waits until
 * it answers.
 */
export async function startApiProcess(
  databaseUrl: string,
  variables: Readonly<Record<string, string>> = {},
  book: AddressBook = anAddressBook(),
): Promise<ApiProcess> {
  const directory = mkdtempSync(join(tmpdir(), 'causeway-api-process-'));
  const bookFile = join(directory, 'address-book.json');
  writeFileSync(bookFile, JSON.stringify(book));
  const port = Number(variables['PORT'] ?? (await freePort()));
  const child = fork(MAIN, [], {
    env: {
      ENVIRONMENT: 'local',
      DATABASE_URL: loginUrl(databaseUrl, 'causeway_api'),
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
  const endChecks = checkFetchedAnswers(url, answerChecker);
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
      endChecks();
    },
  };
}

/** A response parsed from raw bytes. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends bytes on a new connection, and reads until the server closes it or `readMs` have passed.
 *
 * @returns the responses. Trailing bytes that are not HTTP become one with the status NaN.
 */
export async function exchange(port: number, bytes: string | Buffer, readMs = 3_000): Promise<RawAnswer[]> {
  const socket = connect({ port, host: '127.0.0.1' });
  const chunks: Buffer[] = [];
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    // An event stream does not end.
    if (chunk.includes('content-type: text/event-stream')) socket.destroy();
  });
  await once(socket, 'connect');
  socket.write(bytes);
  const timer = setTimeout(() => socket.destroy(), readMs);
  await once(socket, 'close');
  clearTimeout(timer);
  return readAnswers(Buffer.concat(chunks).toString('latin1'));
}

/** Sends bytes that get one response, which the OpenAPI document must describe. */
export async function sendBytes(port: number, bytes: string, readMs?: number): Promise<RawAnswer> {
  const [answer] = await exchange(port, bytes, readMs);
  if (answer === undefined) throw new Error(`No answer to ${bytes.slice(0, 200)}`);
  const [method = '', url = ''] = bytes.split(' ', 2);
  answerChecker.check({ ...answer, method, url });
  return answer;
}

function readAnswers(text: string): RawAnswer[] {
  if (text === '') return [];
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...fields] = text.slice(0, end).split('\r\n');
  const status = /^HTTP\/1\.1 \d{3} /.test(first) ? Number(first.slice(9, 12)) : Number.NaN;
  const headers = Object.fromEntries(
    fields.map((field) => [field.split(':', 1)[0]?.toLowerCase(), field.slice(field.indexOf(':') + 1).trim()]),
  ) as Record<string, string>;
  const rest = text.slice(end + 4);
  if (Number.isNaN(status)) return [{ status, headers: {}, body: text }];
  // 100 Continue comes before the answer.
  if (status < 200) return readAnswers(rest);
  if (headers['content-type']?.startsWith('text/event-stream') === true) return [{ status, headers, body: '' }];
  const length = Number(headers['content-length'] ?? 0);
  const body = Buffer.from(rest.slice(0, length), 'latin1').toString('utf8');
  return [{ status, headers, body }, ...readAnswers(rest.slice(length))];
}
