import { fork, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { migrate } from '@causeway/store';
import { anAddressBook, openPage, startChromium, temporaryDatabase, waitUntil } from '@causeway/test-kit';
import getPort from 'get-port';
import { Pool as Database } from 'pg';
import { Pool } from 'undici';
import { BUSY, fillStore } from '../../../packages/store/bench/large-store.ts';
import { Benchmark, percentile } from './load.ts';

// Compares the console's reads with a bare server that runs one prepared query each, and measures what consoles cost
// the public API. Run it after a build: node bench/admin.bench.ts [--ended 1000000] [--seconds 5] [--rounds 5] [--only
// search]
const { values } = parseArgs({
  options: {
    ended: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
  },
});
const AUDIT_ROWS = 100_000;
const CONSOLES = 50;
/** Changes for which the time to the event and to the painted row is measured. */
const CHANGES = 200;
/** Rows per page, and the number of a page far from the first. */
const [LIMIT, FAR_PAGE] = [50, 1_000];
const ADDRESS = `0x${'1'.repeat(40)}`;
const LIST = '/api/v1/admin/operations';
const print = (line: string) => process.stdout.write(`${line}\n`);
const bench = new Benchmark({ seconds: Number(values.seconds), rounds: Number(values.rounds), only: values.only });
const isWanted = (name: string) => name.includes(values.only);

const database = await temporaryDatabase();
await migrate(database.url);
const sql = new Database({ connectionString: database.url, max: 2 });
sql.on('error', () => undefined);
await fillStore(sql, { ended: Number(values.ended), pending: 33 });
await addRareRows();
const cookies = await beginSessions();
const { rows: known } = await sql.query<{ readonly id: string; readonly origin: string; readonly sender: string }>(
  `SELECT id, origin_tx_hash AS origin, sender FROM operation WHERE status = 'COMPLETED' LIMIT 50000`,
);
const [publicPort, adminPort] = [await getPort(), await getPort()];
const folder = mkdtempSync(join(tmpdir(), 'causeway-bench-'));
const servers: ChildProcess[] = [];
try {
  const bare = await startBare();
  const api = await startApi();
  print(
    `${values.ended} operations, ${AUDIT_ROWS} rows of the audit log, ${values.rounds} rounds of ${values.seconds} s\n`,
  );
  await compareSearch(bare, new Pool(`http://127.0.0.1:${adminPort}`, { connections: 50, pipelining: 1 }));
  await comparePages(new Pool(`http://127.0.0.1:${adminPort}`, { connections: 1 }));
  await compareExport();
  await measureEvents();
  await comparePublic(api);
} finally {
  for (const server of servers) server.kill();
  await sql.end();
  rmSync(folder, { recursive: true, force: true });
  await database.stop();
}
process.exit(0);

/** Adds 100 failed transfers, evenly over time, and a long audit log. */
async function addRareRows(): Promise<void> {
  const client = await sql.connect();
  const id = `'0x' || md5('rare' || n) || md5('rare+' || n)`;
  await client.query('SET session_replication_role = replica');
  await client.query(`
    INSERT INTO operation (id, kind, direction, asset, status, amount, fee, fee_bps, output_amount, sender, recipient,
      origin_chain_id, destination_chain_id, required_confirmations, finalized_at, failure_reason, refund_id, created_at)
    SELECT ${id}, 'TRANSFER', 'PARTNER_TO_ETHEREUM', 'XCN', 'FAILED', 5, 0, 0, 0, '${BUSY}', '${BUSY}', 8901, 31337, 1, now(),
      'TRANSFER_UNMATCHED', ${id}, (SELECT max(created_at) FROM operation) - n * interval '30 minutes' FROM generate_series(1, 100) n`);
  await client.query(`
    INSERT INTO admin_audit (sequence, at, actor, role, action, subject, reason, previous_hash, hash)
    SELECT n, now() - (${AUDIT_ROWS} - n) * interval '1 minute', '${ADDRESS}', 'operator', 'retry', ${id}, 'a reason', ${id}, ${id}
    FROM generate_series(1, ${AUDIT_ROWS}) n`);
  await client.query('VACUUM ANALYZE operation, admin_audit');
  client.release(true);
}

/** The cookies of one session for each console. */
async function beginSessions(): Promise<string[]> {
  const tokens = Array.from({ length: CONSOLES }, () => randomBytes(32).toString('base64url'));
  const hashes = tokens.map((token) => `0x${createHash('sha256').update(token).digest('hex')}`);
  await sql.query(
    `INSERT INTO admin_session (token_hash, address, expires_at)
     SELECT hash, '${ADDRESS}', now() + interval '1 day' FROM unnest($1::text[]) hash`,
    [hashes],
  );
  return tokens.map((token) => `__Host-causeway-admin=${token}`);
}

async function compareSearch(bare: Pool, admin: Pool): Promise<void> {
  print(`${'request'.padEnd(34)} ${'bare'.padStart(8)} ${'API'.padStart(8)}  ratio   p99 bare / API`);
  const headers = { cookie: cookies[0] ?? '' };
  for (const by of ['id', 'origin', 'sender'] as const) {
    const any = () => known[Math.floor(Math.random() * known.length)]?.[by] ?? '';
    await bench.compare(
      `search by ${by === 'origin' ? 'hash' : by === 'sender' ? 'address' : 'id'}`,
      () => bench.load(bare, () => `/search?by=${by}&value=${any()}`),
      () => bench.load(admin, () => `${LIST}?search=${any()}`, headers),
    );
  }
}

/** Measures page 1 and page 1,000 of filters, in milliseconds for one client. The last filters have fewer pages. */
async function comparePages(admin: Pool): Promise<void> {
  print(`\n${'filter'.padEnd(34)} ${'page 1'.padStart(8)} ${'1,000'.padStart(8)}  ratio`);
  const headers = { cookie: cookies[0] ?? '' };
  const filters = [
    '',
    'status=COMPLETED',
    'asset=XCN',
    'direction=ETHEREUM_TO_PARTNER',
    'kind=BURN',
    'kind=BURN&asset=ETH',
  ];
  for (const filter of [...filters, 'status=EXPIRED&asset=XCN', 'status=FAILED&asset=XCN', 'delay=PAUSED']) {
    if (!isWanted(`filter ${filter}`)) continue;
    const get = async (cursor: string | null, limit: number) => {
      const path = `${LIST}?${filter}&limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`;
      const { body } = await admin.request({ method: 'GET', path, headers });
      return (await body.json()) as { readonly nextCursor: string | null };
    };
    let far: string | null = null;
    for (let row = 0; row < LIMIT * (FAR_PAGE - 1); row += 200) {
      const { nextCursor } = await get(far, Math.min(200, LIMIT * (FAR_PAGE - 1) - row));
      if (nextCursor === null) break;
      far = nextCursor;
    }
    const [first, last]: [number[], number[]] = [[], []];
    for (let round = 0; round < 60; round++)
      for (const [times, cursor] of [[first, null] as const, [last, far] as const]) {
        const startedAt = performance.now();
        await get(cursor, LIMIT);
        if (round >= 10) times.push(performance.now() - startedAt);
      }
    const [near, deep] = [percentile(first, 0.5), percentile(last, 0.5)];
    print(
      `${(filter || 'none').padEnd(34)} ${near.toFixed(2).padStart(8)} ${deep.toFixed(2).padStart(8)} ${(deep / near).toFixed(2).padStart(6)}`,
    );
  }
}

/** Compares the export of all operations with COPY TO of the same rows in the same order. */
async function compareExport(): Promise<void> {
  if (!isWanted('export')) return;
  const rounds: { readonly ratio: number; readonly copy: number; readonly csv: number }[] = [];
  for (let round = 0; round < 3; round++) {
    const copyMs = await measureTime(async () =>
      sql.query(`COPY (SELECT * FROM operation ORDER BY created_at DESC, id DESC) TO '/dev/null' (FORMAT csv)`),
    );
    let bytes = 0;
    const before = readMemory('VmRSS');
    // Resets the kernel's peak (VmHWM).
    writeFileSync(`/proc/${servers.at(-1)?.pid}/clear_refs`, '5');
    const csvMs = await measureTime(async () => {
      const sent = request(`http://127.0.0.1:${adminPort}${LIST}.csv`, { headers: { cookie: cookies[0] ?? '' } }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      for await (const chunk of response) bytes += (chunk as Buffer).length;
    });
    rounds.push({ ratio: copyMs / csvMs, copy: copyMs, csv: csvMs });
    print(
      `${round === 0 ? '\n' : ''}export: COPY ${copyMs.toFixed(0)} ms, CSV ${csvMs.toFixed(0)} ms of ${(bytes / 1e6).toFixed(0)} MB, memory ${before} MB, then at most ${readMemory('VmHWM')} MB`,
    );
  }
  print(
    `export, beside COPY TO: ${percentile(
      rounds.map(({ ratio }) => ratio),
      0.5,
    ).toFixed(2)}`,
  );
}

/** Resident memory of the API in MB: present or peak. */
function readMemory(field: 'VmRSS' | 'VmHWM'): string {
  const status = readFileSync(`/proc/${servers.at(-1)?.pid}/status`, 'utf8');
  return (Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1_024).toFixed(0);
}

/** Measures the time from the commit of a change to its event at every console, and to the painted row in Chromium. */
async function measureEvents(): Promise<void> {
  if (!isWanted('events')) return;
  // The rows then show every number of confirmations.
  const { rows } = await sql.query<{ readonly id: string }>(
    `UPDATE operation SET required_confirmations = 10000 WHERE status = 'CONFIRMING' RETURNING id`,
  );
  const latencies: number[] = [];
  const committed = new Map<string, number>();
  const streams = await openConsoles(cookies.slice(1), (id, confirmations) => {
    const atMs = committed.get(`${id} ${confirmations}`);
    if (atMs !== undefined) latencies.push(now() - atMs);
  });
  const painted = await openPaintedConsole(cookies[0] ?? '');
  const commits: number[] = [];
  for (let n = 1; n <= CHANGES; n++) {
    const id = rows[n % rows.length]?.id ?? '';
    const confirmations = 1_000 + n;
    committed.set(`${id} ${confirmations}`, now());
    await sql.query('UPDATE operation SET origin_confirmations = $2 WHERE id = $1', [id, confirmations]);
    committed.set(`${id} ${confirmations}`, now());
    commits[confirmations] = now();
    await sleep(50 + Math.random() * 100);
  }
  await sleep(2_000);
  for (const stream of streams) stream.destroy();
  const report = (to: string, times: readonly number[], all: number) =>
    print(
      `commit to ${to}, ${CONSOLES} consoles: p50 ${percentile(times, 0.5).toFixed(0)} ms, ` +
        `p99 ${percentile(times, 0.99).toFixed(0)} ms, ${times.length} of ${all}`,
    );
  print('');
  report('event', latencies, CHANGES * streams.length);
  const rowTimes = Object.entries(await painted.end()).map(([shown, atMs]) => atMs - (commits[Number(shown)] ?? NaN));
  report('painted row', rowTimes.filter(Number.isFinite), CHANGES);
}

/** Milliseconds since the epoch, with fractions, by the same clock as the browser. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

/** Opens a console in Chromium that records when it first painted each number of confirmations. */
async function openPaintedConsole(cookie: string) {
  const browser = await startChromium();
  const baseURL = `http://127.0.0.1:${adminPort}`;
  const viewport = { width: 1_440, height: 2_400 };
  const { page } = await openPage(browser, { baseURL, viewport, extraHTTPHeaders: { cookie } });
  await page.goto('/operations?status=CONFIRMING');
  await page.getByText('/10000').first().waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await page.evaluate(() => {
    const times: Record<string, number> = {};
    Object.assign(globalThis, { times });
    const observer = new MutationObserver(() =>
      requestAnimationFrame(() => {
        const atMs = performance.timeOrigin + performance.now();
        for (const [, shown = ''] of document.body.innerText.matchAll(/(\d+)\/10000/g)) times[shown] ??= atMs;
      }),
    );
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  const end = async () => {
    const times = await page.evaluate(() => (globalThis as unknown as { times: Record<string, number> }).times);
    await browser.close();
    return times;
  };
  return { end };
}

/** Measures the cost of open consoles for the public API, while operations change. */
async function comparePublic(api: Pool): Promise<void> {
  print(`\n${'request'.padEnd(34)} ${'without'.padStart(8)} ${'with'.padStart(8)}  ratio   p99 without / with`);
  const any = () =>
    `/api/v1/bridge/status?originTxHash=${known[Math.floor(Math.random() * known.length)]?.origin ?? ''}`;
  const { rows } = await sql.query<{ readonly id: string }>(`SELECT id FROM operation WHERE status = 'CONFIRMING'`);
  let n = 0;
  const writes = setInterval(() => {
    const change = 'UPDATE operation SET origin_confirmations = origin_confirmations + 1 WHERE id = $1';
    void sql.query(change, [rows[n++ % rows.length]?.id]).catch(() => undefined);
  }, 100);
  await bench.compare(
    `status, ${CONSOLES} open consoles`,
    () => bench.load(api, any),
    async () => {
      const streams = await openConsoles(cookies, () => undefined);
      const measured = await bench.load(api, any);
      for (const stream of streams) stream.destroy();
      await sleep(500);
      return measured;
    },
  );
  clearInterval(writes);
}

/** Opens an event stream for each session. */
async function openConsoles(sessions: readonly string[], onRow: (id: string, confirmations: number) => void) {
  const opened = sessions.map(async (cookie) => {
    const sent = request(`http://127.0.0.1:${adminPort}/api/v1/admin/events`, {
      agent: false,
      headers: { cookie },
    }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`A stream was refused with ${response.statusCode}`);
    let text = '';
    response
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => {
        text += chunk.toString();
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const data = /^data: (\{.*\})$/m.exec(text.slice(0, end))?.[1] ?? '{}';
          const row = JSON.parse(data) as { readonly id?: string; readonly originConfirmations?: number };
          if (row.id !== undefined) onRow(row.id, row.originConfirmations ?? 0);
          text = text.slice(end + 2);
        }
      });
    return sent;
  });
  return Promise.all(opened);
}

async function measureTime(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function startBare(): Promise<Pool> {
  const port = await getPort();
  const server = fork(new URL('bare-server.ts', import.meta.url), [database.url, `${port}`]);
  servers.push(server);
  await once(server, 'message');
  return new Pool(`http://127.0.0.1:${port}`, { connections: 50, pipelining: 1 });
}

/** Starts the API without nodes, which these reads do not need. */
async function startApi(): Promise<Pool> {
  const book = join(folder, 'address-book.json');
  writeFileSync(book, JSON.stringify(anAddressBook()));
  const server = fork(new URL('../dist/bundle/main.js', import.meta.url), {
    env: {
      ...process.env,
      ENVIRONMENT: 'local',
      DATABASE_URL: database.url,
      ETHEREUM_RPC_URLS: 'http://127.0.0.1:9',
      PARTNER_RPC_URLS: 'http://127.0.0.1:9',
      ADDRESS_BOOK: book,
      LOG_LEVEL: 'error',
      // A limit that is counted but never reached.
      RATE_LIMIT_PER_SECOND: '1000000',
      RATE_LIMIT_PER_MINUTE: '1000000',
      PORT: `${publicPort}`,
      ADMIN_PORT: `${adminPort}`,
      ADMIN_ALLOW_LIST: `${ADDRESS}:admin`,
    },
  });
  servers.push(server);
  const pool = new Pool(`http://127.0.0.1:${publicPort}`, { connections: 50, pipelining: 1 });
  await waitUntil('the API answers', async () =>
    fetch(`http://127.0.0.1:${adminPort}/api/v1/admin/session`)
      .then(({ status }) => status === 401)
      .catch(() => false),
  );
  return pool;
}
