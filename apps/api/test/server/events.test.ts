import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { openStore, type Fence, type OperationTerms, type ScannedBlock, type Store } from '@causeway/store';
import { aBlock, aDelivery, aDeposit, anIntent, CLIENT, opening, paying } from '@causeway/store/test';
import {
  aHash,
  anAddress,
  ETHEREUM,
  PARTNER,
  startTcpProxy,
  type TcpProxy,
  waitUntil,
  type PostgresServer,
} from '@causeway/test-kit';
import { Pool } from 'pg';
import { EventSource } from 'undici';
import type { Hex } from 'viem';
import { freePort, migratedDatabase, startApiProcess, type ApiProcess } from './api-process.js';
import { readEvents, type EventReader } from './event-reader.js';

// Event streams of the program on a real database, which the test writes like the relayer.

// One replica relies on notifications alone; the other has heartbeats, and a proxy in front of its database.

let database: PostgresServer;
let store: Store;
let fence: Fence;
let sql: Pool;
let proxy: TcpProxy;
let a: ApiProcess;
let b: ApiProcess;
const readers: EventReader[] = [];
beforeAll(async () => {
  database = await migratedDatabase();
  store = openStore({ databaseUrl: database.url, onIdleError: () => undefined });
  sql = new Pool({ connectionString: database.url });
  sql.on('error', () => undefined);
  fence = (await store.lease.acquire('relayer', 'test', 600_000))!;
  for (const chainId of [ETHEREUM, PARTNER]) await store.scan.begin(fence, chainId, 1n);
  const { hostname: host, port } = new URL(database.url);
  proxy = await startTcpProxy({ host, port: Number(port) });
  [a, b] = await Promise.all([
    startApiProcess(database.url, { EVENT_HEARTBEAT_MS: '600000', TRUSTED_PROXY_HOPS: '1' }),
    startB(String(await freePort())),
  ]);
});
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
});
afterAll(async () => {
  await Promise.all([a?.stop(), b?.stop()]);
  await proxy?.close();
  await sql?.end();
  await store?.close();
  await database?.stop();
});

async function startB(PORT: string): Promise<ApiProcess> {
  const url = new URL(database.url);
  url.port = String(proxy.port);
  return startApiProcess(url.href, { PORT, EVENT_HEARTBEAT_MS: '300', SHUTDOWN_DELAY_MS: '1000' });
}

async function read(api: ApiProcess, query: string, headers: Record<string, string> = {}): Promise<EventReader> {
  const reader = await readEvents(api.url, query, headers);
  readers.push(reader);
  return reader;
}

async function mine(chainId: number, over: Partial<ScannedBlock> = {}): Promise<ScannedBlock> {
  const block = aBlock((await store.scan.cursor(chainId))?.nextBlock ?? 1n, over);
  await store.scan.extend(fence, chainId, [block], block.number);
  return block;
}

/** Stores deposits in one transaction, as CONFIRMING. */
async function begin(...deposits: OperationTerms[]): Promise<{ readonly txHash: Hex; readonly block: ScannedBlock }> {
  const txHash = aHash();
  const events = deposits.map((terms, logIndex) => ({ ...opening(terms, logIndex), txHash }));
  return { txHash, block: await mine(ETHEREUM, { events }) };
}

/** Makes a deposit AWAITING_RELAY. */
async function finalize({ id }: OperationTerms, { hash: blockHash, timestamp }: ScannedBlock): Promise<void> {
  const finality = { operationId: id, blockHash, confirmations: 12, finalizedAt: timestamp, holdUntil: null };
  await store.operations.finalizeAll(fence, [finality]);
}

/** Makes a final deposit COMPLETED. */
async function settle(terms: OperationTerms): Promise<void> {
  const block = await mine(PARTNER, { events: [paying(terms)] });
  await store.operations.settleAll(fence, [aDelivery(PARTNER, block)]);
}

const listStatuses = ({ events }: EventReader) => events.map(({ data }) => data.status);

describe('the stream of an operation', () => {
  it('shows it from before its start to its end, then ends, and tells a reconnecting client so', async () => {
    const terms = aDeposit();
    const reader = await read(a, `id=${terms.id}`, { origin: 'https://app.example' });
    expect(reader.status).toBe(200);
    expect(reader.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.any(String),
    });
    const { block } = await begin(terms);
    const first = await reader.seen(terms.id, 'CONFIRMING');
    const status = await fetch(`${a.url}/api/v1/bridge/status?depositId=${terms.id}`);
    expect(first).toMatchObject({ name: 'operation', data: (await status.json()) as object });
    await store.operations.countConfirmations(fence, ETHEREUM, block.number + 4n);
    await waitUntil('confirmations are shown', () => reader.events.at(-1)?.data.originConfirmations === 5);
    await finalize(terms, block);
    await reader.seen(terms.id, 'AWAITING_RELAY');
    await settle(terms);
    await reader.seen(terms.id, 'COMPLETED');
    await waitUntil('it has ended', () => reader.hasEnded());
    expect(listStatuses(reader)).toEqual(['CONFIRMING', 'CONFIRMING', 'AWAITING_RELAY', 'COMPLETED']);
    expect((await read(b, `id=${terms.id}`, { 'last-event-id': reader.lastId()! })).status).toBe(204);
    const late = await read(b, `id=${terms.id}`);
    await waitUntil('it has ended', () => late.hasEnded());
    expect(listStatuses(late)).toEqual(['COMPLETED']);
  });

  it('can be opened by its transaction, even before the operation is known', async () => {
    const deposits = [aDeposit(), aDeposit()];
    const txHash = aHash();
    const reader = await read(a, `originTxHash=${txHash}`);
    const events = deposits.map((terms, logIndex) => ({ ...opening(terms, logIndex), txHash }));
    await mine(ETHEREUM, { events });
    for (const { id } of deposits) await reader.seen(id, 'CONFIRMING');
    expect(reader.events).toHaveLength(2);
  });

  it('continues on another replica after the last event, without a gap and without a repetition', async () => {
    const terms = aDeposit();
    const { block } = await begin(terms);
    const [onA, onB] = await Promise.all([read(a, `id=${terms.id}`), read(b, `id=${terms.id}`)]);
    for (const reader of [onA, onB]) await reader.seen(terms.id, 'CONFIRMING');
    expect(onA.events[0]?.data).toEqual(onB.events[0]?.data);
    onA.close();
    await finalize(terms, block);
    const resumed = await read(b, `id=${terms.id}`, { 'last-event-id': onA.lastId()! });
    for (const reader of [resumed, onB]) await reader.seen(terms.id, 'AWAITING_RELAY');
    expect(listStatuses(resumed)).toEqual(['AWAITING_RELAY']);
    expect(listStatuses(onB)).toEqual(['CONFIRMING', 'AWAITING_RELAY']);
  });

  it('continues in an EventSource, which reconnects by itself, when the API restarts', async () => {
    const terms = aDeposit();
    const { block } = await begin(terms);
    const source = new EventSource(`${b.url}/api/v1/bridge/events?id=${terms.id}`);
    const statuses: string[] = [];
    source.addEventListener('operation', (event) => {
      const { data } = event as unknown as { readonly data: string };
      statuses.push((JSON.parse(data) as { readonly status: string }).status);
    });
    try {
      await waitUntil('it is confirming', () => statuses.length === 1);
      await b.stop();
      await finalize(terms, block);
      b = await startB(String(b.port));
      await waitUntil('it is final', () => statuses.length === 2);
      await settle(terms);
      await waitUntil('the stream is over', () => source.readyState === EventSource.CLOSED);
      expect(statuses).toEqual(['CONFIRMING', 'AWAITING_RELAY', 'COMPLETED']);
    } finally {
      source.close();
    }
  });
});

describe('the stream of an address', () => {
  it('begins with a resync, and then has the operations that it sends and receives, and no others', async () => {
    const address = anAddress();
    const reader = await read(a, `address=${address}`);
    await waitUntil('it begins', () => reader.events.length === 1);
    expect(reader.events[0]).toMatchObject({ name: 'resync', data: {} });
    const [sent, received, other] = [aDeposit({ sender: address }), aDeposit({ recipient: address }), aDeposit()];
    await begin(other, sent, received);
    await reader.seen(sent.id, 'CONFIRMING');
    await reader.seen(received.id, 'CONFIRMING');
    await begin(aDeposit());
    await sleep(300);
    expect(reader.events).toHaveLength(3);
  });

  it('resumes with everything missed, including changes of a transaction that was still running', async () => {
    const address = anAddress();
    const [early, late] = [aDeposit({ sender: address }), aDeposit({ sender: address })];
    await begin(early, late);
    const reader = await read(a, `address=${address}`);
    await waitUntil('it begins', () => reader.events.length === 1);
    const confirm = `UPDATE operation SET origin_confirmations = 7 WHERE id = $1`;
    const running = await sql.connect();
    await running.query('BEGIN');
    await running.query(confirm, [early.id]);
    await sql.query(confirm, [late.id]);
    await reader.seen(late.id, 'CONFIRMING');
    reader.close();
    await running.query('COMMIT');
    running.release();
    const resumed = await read(b, `address=${address}`, { 'last-event-id': reader.lastId()! });
    expect((await resumed.seen(early.id, 'CONFIRMING')).data.originConfirmations).toBe(7);
    expect(resumed.events.every(({ name }) => name === 'operation')).toBe(true);
    const again = await read(a, `address=${address}`, { 'last-event-id': resumed.lastId()! });
    await sleep(400);
    expect(again.events).toEqual([]);
  });

  it('hides intents that strangers make for it until one is paid', async () => {
    const [address, stranger] = [anAddress(), anAddress()];
    const [victim, own] = [await read(a, `address=${address}`), await read(a, `address=${stranger}`)];
    const times = { expiresAt: new Date(2_000_000_000_000), deadlineSeconds: 2_000_000_000n };
    const intents = Array.from({ length: 20 }, () => anIntent({ sender: stranger, recipient: address }));
    for (const terms of intents) {
      const keys = { nonce: aHash(), idempotencyKey: aHash(), signature: '0x01' as const };
      await store.intents.register(terms, { id: terms.id, sender: stranger, ...times, ...keys, ...CLIENT });
    }
    await own.seen(intents.at(-1)!.id, 'PENDING_ORIGIN_TX');
    await begin(aDeposit({ recipient: address }));
    await waitUntil('it has the deposit', () => victim.events.length === 2);
    expect(victim.events.map(({ data }) => data.recipient)).toEqual([undefined, address]);
  });

  it('resyncs a client whose last id comes from another database', async () => {
    const reader = await read(a, `address=${anAddress()}`, { 'last-event-id': '999999999999999' });
    await waitUntil('it begins', () => reader.events.length === 1);
    expect(reader.events[0]?.name).toBe('resync');
    expect(Number(reader.lastId())).toBeLessThan(999_999_999_999_999);
  });
});

describe('an event stream', () => {
  it('has heartbeats, which keep its position current', async () => {
    const reader = await read(b, `id=${aHash()}`);
    await waitUntil('there are heartbeats', () => reader.text().split(':\nid: ').length > 3);
    expect(reader.events).toEqual([]);
    expect(reader.text()).toMatch(/^retry: \d{4}\n\n(:\nid: \d+\n\n)+$/);
    const before = Number(reader.lastId());
    await begin(aDeposit());
    await waitUntil('the position moves', () => Number(reader.lastId()) > before);
  });

  it('is refused without a subject, with several, and with a malformed id', async () => {
    const ask = async (query: string, headers: Record<string, string> = {}) => {
      const response = await fetch(`${a.url}/api/v1/bridge/events?${query}`, { headers });
      return { status: response.status, body: await response.json() };
    };
    const refused = (text: string) => ({
      status: 400,
      body: { error: 'VALIDATION_ERROR', message: expect.stringContaining(text) },
    });
    expect(await ask('')).toEqual(refused('id or originTxHash or address must be given'));
    expect(await ask(`id=${aHash()}&address=${anAddress()}`)).toEqual(refused('must be the only parameter'));
    expect(await ask('id=0x12')).toEqual(refused('id must be'));
    expect(await ask(`id=${aHash()}`, { 'last-event-id': '-1' })).toEqual(refused('Last-Event-ID must be'));
    const head = await fetch(`${a.url}/api/v1/bridge/events?id=${aHash()}`, { method: 'HEAD' });
    expect(head.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  });

  it('is refused to a client that has ten, but not to others', async () => {
    const from = (client: string) => read(a, `id=${aHash()}`, { 'x-forwarded-for': client });
    const opened = await Promise.all(Array.from({ length: 12 }, () => from('203.0.113.7')));
    const withStatus = (wanted: number) => opened.filter(({ status }) => status === wanted).length;
    expect([withStatus(200), withStatus(429)]).toEqual([10, 2]);
    expect(opened.find(({ status }) => status === 429)?.headers['retry-after']).toBe('60');
    expect((await from('203.0.113.8')).status).toBe(200);
    opened.find(({ status }) => status === 200)?.close();
    expect(await waitUntil('there is room', async () => (await from('203.0.113.7')).status === 200)).toBe(true);
  });

  it('is closed when its reader is too slow, without affecting others', async () => {
    const address = anAddress();
    const deposits = Array.from({ length: 90 }, () => aDeposit({ sender: address }));
    await begin(...deposits);
    const [slow, fast] = [await read(a, `address=${address}`), await read(a, `address=${address}`)];
    slow.response.pause();
    const confirm = () =>
      sql.query('UPDATE operation SET origin_confirmations = origin_confirmations + 1 WHERE sender = $1', [address]);
    let rounds = 0;
    const drops = () => a.log().filter(({ msg }) => msg === 'closed an event stream: its reader is too slow').length;
    await waitUntil(
      'it is closed',
      async () => {
        await confirm();
        rounds += 1;
        return drops() > 0;
      },
      { intervalMs: 110 },
    );
    expect(drops()).toBe(1);
    const last = () => fast.events.filter(({ data }) => data.originConfirmations === 1 + rounds).length;
    await waitUntil('the other one has all', () => last() === deposits.length);
    expect(fast.hasEnded()).toBe(false);
  });
});

describe('when the database', () => {
  it('ends the listening connection, streams continue', async () => {
    const terms = aDeposit();
    const reader = await read(a, `id=${terms.id}`);
    await sql.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query = 'LISTEN causeway_operations'`);
    const { block } = await begin(terms);
    await reader.seen(terms.id, 'CONFIRMING');
    await finalize(terms, block);
    await reader.seen(terms.id, 'AWAITING_RELAY');
    expect(listStatuses(reader)).toEqual(['CONFIRMING', 'AWAITING_RELAY']);
  });

  it('is unavailable, streams stay open with heartbeats, new ones are 503, and no change is lost', async () => {
    const terms = aDeposit();
    const reader = await read(b, `id=${terms.id}`);
    proxy.become('cut');
    const { block } = await begin(terms);
    await finalize(terms, block);
    const heartbeats = () => reader.text().split(':\nid: ').length;
    const before = heartbeats();
    await waitUntil('there are heartbeats', () => heartbeats() > before + 2);
    const refused = await read(b, `id=${terms.id}`);
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect([reader.events, reader.hasEnded()]).toEqual([[], false]);
    proxy.become('open');
    await reader.seen(terms.id, 'AWAITING_RELAY');
    const away = b.log().filter(({ msg }) => msg === 'cannot read changes; event streams wait');
    expect(away).toHaveLength(1);
  });
});

describe('at its shutdown, the API', () => {
  it('ends its streams in order, and new ones too', async () => {
    const reader = await read(b, `id=${aHash()}`);
    const exit = once(b.child, 'exit');
    b.child.kill('SIGTERM');
    await waitUntil('it has ended', () => reader.hasEnded());
    expect(reader.response.complete).toBe(true);
    expect(b.child.exitCode).toBeNull();
    const late = await read(b, `id=${aHash()}`);
    await waitUntil('it has ended', () => late.hasEnded());
    expect(late).toMatchObject({ status: 200, headers: { connection: 'close' } });
    expect(await exit).toEqual([0, null]);
  });
});
