import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aHash, PARTNER } from '@causeway/test-kit';
import { inspectDatabase, migrate, openStore } from '../../src/index.js';
import { temporaryStore, type TemporaryStore } from '../temporary-store.js';
import { aBurn, anIntent, CLIENT, opening } from '../../src/test/rows.js';

// Databases whose settings would change the meaning of timestamps.

const SETTINGS = {
  DateStyle: 'SQL, DMY',
  IntervalStyle: 'iso_8601',
  default_transaction_isolation: 'serializable',
  standard_conforming_strings: 'off',
  search_path: 'nowhere',
};
const MINED = new Date('2026-02-01T22:34:56.789Z');
const LATER = new Date(MINED.getTime() + 1_800_000);

describe.each(['Asia/Kolkata', 'America/New_York'])('a database in %s', (TimeZone) => {
  let t: TemporaryStore;
  beforeAll(async () => {
    t = await temporaryStore({ ...SETTINGS, TimeZone });
  });
  afterAll(async () => t?.close());

  /** The timestamps of a row as the server has them, in epoch milliseconds. */
  const stored = async (table: string, id: string, ...columns: string[]) => {
    const epochs = columns.map((name) => `(extract(epoch FROM ${name}) * 1000)::float8 AS ${name}`);
    const { rows } = await t.sql.query<object>(`SELECT ${epochs.join(', ')} FROM public.${table} WHERE id = $1`, [id]);
    return rows[0];
  };

  it('keeps the timestamps of a withdrawal, for both drivers and for the export', async () => {
    const terms = aBurn();
    const startedAt = Date.now();
    const { hash: blockHash } = await t.mine(PARTNER, { timestamp: MINED, events: [opening(terms)] });
    const finality = { blockHash, confirmations: 3, finalizedAt: MINED, holdUntil: LATER };
    await t.store.operations.finalizeAll(t.fence, [{ operationId: terms.id, ...finality }]);
    expect(await stored('operation', terms.id, 'created_at', 'finalized_at', 'hold_until')).toEqual({
      created_at: MINED.getTime(),
      finalized_at: MINED.getTime(),
      hold_until: LATER.getTime(),
    });
    const operation = await t.operation(terms);
    expect(operation).toMatchObject({ createdAt: MINED, finalizedAt: MINED });
    // The hold by the database's clock is equally long, and begins now.
    const ownHoldAt = operation.holdUntil!.getTime() - (LATER.getTime() - MINED.getTime());
    for (const writtenAt of [operation.updatedAt.getTime(), ownHoldAt]) {
      expect(writtenAt).toBeGreaterThanOrEqual(startedAt);
      expect(writtenAt).toBeLessThanOrEqual(Date.now());
    }
    const all = { status: null, delay: null, asset: null, direction: null, kind: null, from: null, until: null };
    let csv = '';
    for await (const lines of t.store.exports.csv({ filters: all, search: terms.id })) csv += lines;
    expect(csv).toContain(`,${MINED.toISOString()},,${operation.updatedAt.toISOString()}\r\n`);
  });

  it('keeps the window of an intent', async () => {
    const terms = anIntent();
    const { id, sender } = terms;
    const signed = { id, sender, nonce: aHash(), idempotencyKey: aHash(), signature: '0x01' } as const;
    const deadlineSeconds = BigInt(LATER.getTime()) / 1_000n;
    await t.store.intents.register(terms, { ...signed, ...CLIENT, deadlineSeconds, expiresAt: LATER });
    expect(await stored('intent', id, 'expires_at')).toEqual({ expires_at: LATER.getTime() });
    const { timestamp: _, ...block } = await t.mine(PARTNER);
    expect(await t.expire({ ...block, timestamp: new Date(LATER.getTime() - 1) })).toEqual([]);
    expect(await t.expire({ ...block, timestamp: new Date(LATER.getTime() + 1) })).toEqual([id]);
  });
});

describe('a session', () => {
  let t: TemporaryStore;
  beforeAll(async () => {
    t = await temporaryStore();
  });
  afterAll(async () => t?.close());

  it('keeps its pinned parameters despite options in the connection string, and respects the schema', async () => {
    const url = new URL(t.url);
    url.searchParams.set('options', '-c TimeZone=Asia/Kolkata -c work_mem=5MB');
    url.searchParams.set('schema', 'The bridge');
    expect((await inspectDatabase(url.href, Date.now)).migrations.missing).toContain('20261122000000_init');
    await migrate(url.href);
    const store = openStore({ databaseUrl: url.href, onIdleError: () => undefined });
    await store.assertCompatible();
    // The other schema has the cursors of both chains.
    expect([await store.halts.list(), await store.scan.cursor(PARTNER)]).toEqual([[], null]);
    await store.close();
  });

  it.each([
    ['TimeZone', 'Asia/Kolkata'],
    ['DateStyle', 'SQL, DMY'],
  ])('is refused when a pooler gives it another %s', async (name, value) => {
    await t.sql.query(`ALTER DATABASE ${new URL(t.url).pathname.slice(1)} SET ${name} = '${value}'`);
    const pooler = await startPooler(Number(new URL(t.url).port));
    const url = Object.assign(new URL(t.url), { port: `${pooler.port}` }).href;
    expect(await inspectDatabase(url, Date.now)).toMatchObject({ driversAgree: false });
    const store = openStore({ databaseUrl: url, onIdleError: () => undefined });
    await expect(store.assertCompatible()).rejects.toThrow('the two drivers disagree on a timestamp');
    await store.close();
    await pooler.stop();
    await t.sql.query(`ALTER DATABASE ${new URL(t.url).pathname.slice(1)} RESET ${name}`);
  });
});

/** A pooler that ignores the session parameters in the first packet of a connection. */
async function startPooler(database: number) {
  const server = createServer((client) => {
    const upstream = connect(database, '127.0.0.1');
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    client.once('data', (packet) => {
      const words = packet.toString('latin1', 8).split('\0');
      const at = words.indexOf('options');
      const body = Buffer.from(words.toSpliced(at, 2).join('\0'), 'latin1');
      const header = Buffer.from(packet.subarray(0, 8));
      header.writeInt32BE(header.length + body.length);
      upstream.write(Buffer.concat([header, body]));
      client.pipe(upstream).pipe(client);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, stop: async () => new Promise((resolve) => void server.close(resolve)) };
}
