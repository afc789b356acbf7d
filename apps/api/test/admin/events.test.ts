import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ADMIN_CHANGES, adminOperationRowSchema } from '@causeway/protocol/admin';
import { aDeposit, opening } from '@causeway/store/test';
import { aHash, anAddress, ETHEREUM, PARTNER, waitUntil } from '@causeway/test-kit';
import { Pool } from 'pg';
import type { Hex } from 'viem';
import { readEvents, type EventReader } from '../server/event-reader.js';
import { temporaryAdmin, type SignedIn, type TemporaryAdmin } from './temporary-admin.js';

// The console's event stream on a real database, which the test writes like the relayer.

let t: TemporaryAdmin;
let sql: Pool;
let url: string;
let viewer: SignedIn;
const readers: EventReader[] = [];
beforeAll(async () => {
  t = await temporaryAdmin();
  sql = new Pool({ connectionString: t.databaseUrl });
  sql.on('error', () => undefined);
  await t.admin.listen(0, '127.0.0.1');
  url = `http://127.0.0.1:${(t.admin.getHttpServer().address() as AddressInfo).port}`;
  viewer = await t.signedIn('viewer');
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});
afterAll(async () => {
  await sql?.end();
  await t?.close();
});

async function open({ cookie }: SignedIn = viewer, headers: Record<string, string> = {}): Promise<EventReader> {
  const reader = await readEvents(url, '', { cookie, ...headers }, '/api/v1/admin/events');
  readers.push(reader);
  expect(reader.status).toBe(200);
  return reader;
}

const listChanges = ({ events }: EventReader) =>
  events.flatMap(({ name, data }) => (name === 'changed' ? [data.what] : []));
const greeted = async (reader: EventReader) =>
  waitUntil('the console has every announcement', async () => listChanges(reader).length >= ADMIN_CHANGES.length);

async function begin(): Promise<Hex> {
  const terms = aDeposit();
  await t.scan(ETHEREUM, { events: [opening(terms)] });
  return terms.id;
}

describe('GET /events', () => {
  it('begins with announcements, and then sends each changed operation as its row', async () => {
    const reader = await open();
    await greeted(reader);
    expect(reader.events[0]).toMatchObject({ name: 'resync', data: {} });
    expect(listChanges(reader)).toEqual([...ADMIN_CHANGES]);
    const id = await begin();
    const event = await reader.seen(id, 'CONFIRMING');
    expect(event.name).toBe('operation');
    expect(adminOperationRowSchema.parse(event.data)).toMatchObject({ id, kind: 'DEPOSIT' });
  });

  it('resumes after the last event in any process without loss', async () => {
    const first = await open();
    await greeted(first);
    await first.seen(await begin(), 'CONFIRMING');
    const last = first.lastId()!;
    first.close();
    const missed = [await begin(), await begin()];
    const second = await open(viewer, { 'last-event-id': last });
    for (const id of missed) await second.seen(id, 'CONFIRMING');
    expect(second.events.map(({ name }) => name)).not.toContain('resync');
    await greeted(second);
  });

  it('tells a console to read again if it missed too much or comes from another database', async () => {
    const reader = await open();
    await greeted(reader);
    const last = reader.lastId()!;
    const many = Array.from({ length: 120 }, (_, logIndex) => ({ ...opening(aDeposit(), logIndex), txHash: aHash() }));
    await t.scan(ETHEREUM, { events: many });
    await waitUntil(
      'the open one, too',
      async () => reader.events.filter(({ name }) => name === 'resync').length === 2,
    );
    for (const id of [last, '900000000000000']) {
      const late = await open(viewer, { 'last-event-id': id });
      await greeted(late);
      expect(late.events[0]?.name).toBe('resync');
    }
  });

  it.each<readonly [string, () => Promise<unknown>]>([
    ['halts', async () => t.store.halts.halt(PARTNER, 'a reorg')],
    ['halts', async () => t.store.halts.haltDeliveries('a theft')],
    ['audit', async () => t.store.adminAudit.append({ actor: null, role: null, sessionId: null, action: 'halt' })],
    ['lease', async () => t.store.lease.release(t.fence)],
    [
      'refunds',
      async () => {
        const id = await begin();
        await sql.query(
          `INSERT INTO refund (id, operation_id, chain_id, asset, wallet, payer, amount)
           VALUES ('${aHash()}', $1, ${PARTNER}, 'XCN', '${anAddress()}', '${anAddress()}', 5)`,
          [id],
        );
      },
    ],
    [
      'requests',
      async () =>
        sql.query(
          `INSERT INTO admin_request (id, terms, reason, version, decided_on, requested_by, approvals_needed, valid_until, state, created_at)
           VALUES ('${aHash()}', '{"kind": "HALT", "target": "partner"}', 'why', '${aHash()}', '{}', '${anAddress()}', 0, now() + interval '1 minute', 'QUEUED', now())`,
        ),
    ],
  ])('announces only changes of %s', async (what, change) => {
    const reader = await open();
    await greeted(reader);
    await change();
    await waitUntil(`${what} are announced`, async () => listChanges(reader).length > ADMIN_CHANGES.length);
    expect(new Set(listChanges(reader).slice(ADMIN_CHANGES.length))).toEqual(new Set([what]));
  });

  it('ends with its own session only', async () => {
    const other = await t.signedIn('operator');
    const [reader, stays] = [await open(other), await open()];
    await greeted(stays);
    expect((await other.delete('/session')).status).toBe(204);
    await waitUntil('the stream ends', async () => reader.hasEnded());
    const id = await begin();
    await stays.seen(id, 'CONFIRMING');
    expect(stays.hasEnded()).toBe(false);
  });

  it('sends heartbeats visible to an EventSource', async () => {
    const reader = await open();
    await waitUntil('a heartbeat comes', async () => reader.events.some(({ name }) => name === 'heartbeat'));
    expect(reader.headers['content-type']).toBe('text/event-stream; charset=utf-8');
  });
});
