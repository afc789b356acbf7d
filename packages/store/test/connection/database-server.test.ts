import { loginUrl } from '@causeway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { temporaryStore, type TemporaryStore } from '../temporary-store.js';

describe('the database server', () => {
  let t: TemporaryStore;
  beforeAll(async () => {
    t = await temporaryStore();
  });
  afterAll(async () => t?.close());

  it("has connections, a size, this machine's clock, and no certificate without TLS", async () => {
    const { server } = t.store;
    const figures = await server.figures();
    expect(figures.connections).toBeGreaterThan(0);
    expect(figures.maxConnections).toBeGreaterThan(figures.connections);
    expect(figures.sizeBytes).toBeGreaterThan(1_000_000);
    expect(Math.abs(figures.clockOffsetMs)).toBeLessThan(1_000);
    expect(await server.certificateEnd()).toBeNull();
    expect(figures.backups).toEqual({ restorableSeconds: null, claimedSeconds: null, archivedSeconds: null });
  });

  it('shows how old the newest restorable backup is', async () => {
    const backups = new Client({ connectionString: loginUrl(t.url, 'causeway_backup') });
    await backups.connect();
    for (const hours of [5, 2, 29])
      await backups.query(`SELECT note_restorable_backup('${hours}', now() - interval '${hours} hours')`);
    await backups.end();
    expect(Math.round((await t.store.server.figures()).backups.restorableSeconds! / 3_600)).toBe(2);
  });

  it('shows to a login without more rights which standby is disconnected, and how far it is behind', async () => {
    const { server } = t.store;
    expect((await server.figures()).standbys).toEqual([]);
    const superuser = new Client({ connectionString: t.url });
    await superuser.connect();
    await superuser.query("SELECT pg_create_physical_replication_slot('second', true)");
    await superuser.query("SELECT pg_logical_emit_message(false, 'test', repeat('x', 100000))");
    const { standbys } = await server.figures();
    await superuser.query("SELECT pg_drop_replication_slot('second')");
    await superuser.end();
    expect(standbys).toEqual([{ name: 'second', isConnected: false, lagBytes: expect.any(Number) }]);
    expect(standbys[0]?.lagBytes).toBeGreaterThan(100_000);
  });

  it('shows how old the oldest transaction is, and how many queries wait for a connection', async () => {
    const { server } = t.store;
    // A role sees only its own transactions.
    const open = new Client({ connectionString: loginUrl(t.url, 'causeway_relayer') });
    await open.connect();
    await open.query('BEGIN; SELECT 1');
    await open.query('SELECT pg_sleep(0.3)');
    expect((await server.figures()).oldestTransactionSeconds).toBeGreaterThanOrEqual(0.3);
    await open.end();
    expect(server.waiting()).toBe(0);
    const many = Promise.all(Array.from({ length: 30 }, async () => t.store.ping()));
    // The pool dispatches waiting queries in the next tick.
    await new Promise((resolve) => setImmediate(resolve));
    expect(server.waiting()).toBeGreaterThan(0);
    await many;
    expect(server.waiting()).toBe(0);
  });
});
