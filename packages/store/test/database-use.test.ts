import { migrate, openStore, type Store } from '../src/index.js';
import { MIGRATIONS, readDatabaseUse } from '../src/schema.js';
import { temporaryDatabase, type PostgresServer } from '@causeway/test-kit';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

// The connected programs, as `causeway-admin upgrade --check` reads them.

const MIGRATION = MIGRATIONS.at(-1)?.name.slice(0, 14);
let database: PostgresServer;
let stores: Store[];
beforeAll(async () => {
  database = await temporaryDatabase(migrate);
  stores = ['relayer-1', 'relayer-2'].map((name) => {
    const program = { service: 'relayer', version: '1.2.3', name };
    return openStore({ databaseUrl: database.url, program, onIdleError: () => undefined });
  });
  for (const store of stores) await store.ping();
});
afterAll(async () => {
  for (const store of stores) await store.close();
  await database?.stop();
});

it('names each program by its sessions, and the relayer that holds the lease', async () => {
  expect((await readDatabaseUse(database.url)).leaseHolder).toBeNull();
  await stores[1]?.lease.acquire('relayer', 'relayer-2:17:an-id', 600_000);
  const { programs, leaseHolder } = await readDatabaseUse(database.url);
  expect(leaseHolder).toBe('relayer-2');
  const label = { service: 'relayer', version: '1.2.3', migration: MIGRATION };
  expect(programs).toMatchObject([
    { label: { ...label, name: 'relayer-1' }, sessions: 1 },
    { label: { ...label, name: 'relayer-2' }, sessions: 2 },
  ]);
});
