import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { migrate } from '@causeway/store';
import { temporaryDatabase, waitUntil } from '@causeway/test-kit';
import getPort from 'get-port';
import { Pool as Database } from 'pg';
import { Pool } from 'undici';
import { BUSY, fillStore } from '../../../packages/store/bench/large-store.ts';
import { temporaryBridge } from '../test/temporary-bridge.ts';
import { Benchmark, CONNECTIONS, type Load } from './load.ts';

// Compares requests per second of the API with a bare server that returns the same rows, in alternating rounds. Run it
// after a build: node bench/api.bench.ts [--ended 1000000] [--seconds 5] [--rounds 5] [--only streams]
const { values } = parseArgs({
  options: {
    ended: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
  },
});
const STREAMS = 1_000;
/** The streams follow 33 operations. One changes at this interval: three times as often as with a block every 12 s. */
const CHANGE_MS = 100;
const print = (line: string) => process.stdout.write(`${line}\n`);
const bench = new Benchmark({ seconds: Number(values.seconds), rounds: Number(values.rounds), only: values.only });

interface Row {
  readonly id: string;
  readonly kind: string;
}

const bridge = await temporaryBridge();
const database = await temporaryDatabase();
await migrate(database.url);
const sql = new Database({ connectionString: database.url, max: 1 });
await fillStore(sql, { ended: Number(values.ended), pending: 33 });
const { rows: confirming } = await sql.query<{ readonly id: string; readonly sender: string }>(
  `SELECT id, sender FROM operation WHERE status = 'CONFIRMING'`,
);
const apiPort = await getPort();
const { rows } = await sql.query<Row>(`SELECT id, kind FROM operation WHERE kind <> 'INTENT'`);

const folder = mkdtempSync(join(tmpdir(), 'causeway-bench-'));
const servers: ChildProcess[] = [];
try {
  const bare = await startBare();
  const api = await startApi();
  print(`${values.ended} operations, ${CONNECTIONS} connections, ${values.rounds} rounds of ${values.seconds} s\n`);
  print(`${'request'.padEnd(34)} ${'bare'.padStart(8)} ${'API'.padStart(8)}  ratio   p99 bare / API`);
  const any = (from: readonly Row[]) => () => makeStatusPath(from[Math.floor(Math.random() * from.length)]);
  const beside = async (name: string, path: () => string) =>
    bench.compare(
      name,
      () => bench.load(bare, path),
      () => bench.load(api, path),
    );
  await beside('status, uniform', any(rows));
  await beside('status, 5,000 that have ended', any(rows.slice(0, 5_000)));
  const page = (offset: number) => () => `/api/v1/bridge/history?address=${BUSY}&offset=${offset}`;
  await beside('history of a busy address', page(0));
  await beside('the same at offset 10,000', page(10_000));
  const quote = '/api/v1/bridge/fee-quote?token=USDC&amount=2400.5&direction=PARTNER_TO_ETHEREUM';
  await beside('fee-quote, beside a constant', () => quote);
  print(`\n${'request'.padEnd(34)} ${'without'.padStart(8)} ${'with'.padStart(8)}  ratio   p99 without / with`);
  const stopWriting = writeChanges();
  await bench.compare(
    `status, ${STREAMS} open event streams`,
    () => bench.load(api, any(rows)),
    () => withStreams(() => bench.load(api, any(rows))),
  );
  await stopWriting();
} finally {
  for (const server of servers) server.kill();
  await sql.end();
  rmSync(folder, { recursive: true, force: true });
  await database.stop();
  await bridge.stop();
}
process.exit(0);

function makeStatusPath(row: Row | undefined): string {
  return `/api/v1/bridge/status?${row?.kind === 'DEPOSIT' ? 'depositId' : 'withdrawId'}=${row?.id}`;
}

async function startBare(): Promise<Pool> {
  const port = await getPort();
  const server = fork(new URL('bare-server.ts', import.meta.url), [database.url, `${port}`]);
  servers.push(server);
  await once(server, 'message');
  return new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS, pipelining: 1 });
}

async function startApi(): Promise<Pool> {
  const port = apiPort;
  const book = join(folder, 'address-book.json');
  writeFileSync(book, JSON.stringify(bridge.book));
  const server = fork(new URL('../dist/bundle/main.js', import.meta.url), {
    env: {
      ...process.env,
      ENVIRONMENT: 'local',
      DATABASE_URL: database.url,
      ETHEREUM_RPC_URLS: bridge.ethereum.url,
      PARTNER_RPC_URLS: bridge.partner.url,
      ADDRESS_BOOK: book,
      LOG_LEVEL: 'warn',
      EVENT_STREAMS_PER_CLIENT: '0',
      // A limit that is counted but never reached.
      RATE_LIMIT_PER_SECOND: '1000000',
      RATE_LIMIT_PER_MINUTE: '1000000',
      PORT: `${port}`,
    },
  });
  servers.push(server);
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS, pipelining: 1 });
  const isUp = async () => {
    const { body, statusCode } = await pool.request({ method: 'GET', path: '/api/v1/bridge/limits' });
    await body.dump();
    return statusCode === 200;
  };
  await waitUntil('the API answers', () => isUp().catch(() => false));
  return pool;
}

/** Writes confirmations of the followed operations like the relayer. */
function writeChanges(): () => Promise<void> {
  let n = 0;
  let last: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    last = last.then(() =>
      sql.query('UPDATE operation SET origin_confirmations = origin_confirmations + 1 WHERE id = $1', [
        confirming[n++ % confirming.length]?.id,
      ]),
    );
  }, CHANGE_MS);
  return async () => {
    clearInterval(timer);
    await last;
  };
}

/** Measures while event streams are open, half of them by id and half by address. */
async function withStreams(measure: () => Promise<Load>): Promise<Load> {
  const opened = Array.from({ length: STREAMS }, async (_, n) => {
    const { id, sender } = confirming[n % confirming.length] ?? { id: '', sender: '' };
    const query = n % 2 === 0 ? `id=${id}` : `address=${sender}`;
    const sent = request(`http://127.0.0.1:${apiPort}/api/v1/bridge/events?${query}`, { agent: false }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.on('error', () => undefined).resume();
    if (response.statusCode !== 200) throw new Error(`A stream was refused with ${response.statusCode}`);
    return sent;
  });
  const streams = await Promise.all(opened);
  try {
    return await measure();
  } finally {
    for (const stream of streams) stream.destroy();
    await sleep(500);
  }
}
