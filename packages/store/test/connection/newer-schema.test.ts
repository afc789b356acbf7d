import { ETHEREUM, loginUrl } from '@causeway/test-kit';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openStore, type Store } from '../../src/index.js';
import { temporaryStore, type TemporaryStore } from '../temporary-store.js';
import { aDeposit, opening } from '../../src/test/rows.js';

// A running program while a newer one adds columns to its tables.

let t: TemporaryStore;
let api: Store;
beforeAll(async () => {
  t = await temporaryStore();
  api = openStore({ databaseUrl: loginUrl(t.url, 'causeway_api'), onIdleError: () => undefined });
});
afterAll(async () => {
  await api?.close();
  await t?.close();
});

const FILTERS = {
  status: null,
  kind: null,
  asset: null,
  direction: null,
  delay: null,
  from: null,
  until: null,
};

it('continues to read on the connections that have prepared its statements', async () => {
  const deposit = aDeposit();
  const event = opening(deposit);
  await t.mine(ETHEREUM, { events: [event] });
  const { store } = t;
  const { id, sender } = deposit;
  const newest = { limit: 10, start: null };
  const reads = {
    findById: () => store.operations.findById(id),
    findByIds: () => store.operations.findByIds([id]),
    findByOriginTx: () => store.operations.findByOriginTx(event.txHash),
    findConfirming: () => store.operations.findConfirming(ETHEREUM),
    history: () => store.history.page({ address: sender, direction: null, limit: 10, offset: 0 }),
    changes: async () => (await store.changes.ofId(id)).changed,
    changesOfTx: async () => (await store.changes.ofOriginTx(event.txHash)).changed,
    listing: () => store.listing.page(FILTERS, newest),
    listingOfHash: () => store.listing.ofHash(id, FILTERS, newest),
    listingOfAddress: () => store.listing.ofAddress(sender, FILTERS, newest),
    newestByAddress: () => store.listing.listNewestByAddress([sender], 10),
    member: () => api.adminMembers.find(sender),
    sessions: () => api.adminSessions.findAll([id], { idleMs: 1_000 }),
  };
  const readAll = async () => {
    const answers: unknown[] = [];
    // Sequential, so that each runs on the same connection as before.
    for (const [name, read] of Object.entries(reads)) answers.push([name, await read()]);
    return answers;
  };
  const before = await readAll();
  const { rows } = await t.sql.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  for (const { name } of rows) await t.sql.query(`ALTER TABLE "${name}" ADD COLUMN of_a_newer_program text`);
  expect(await readAll()).toEqual(before);
});
