import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { anAddress, anAddressBook, loginUrl } from '@causeway/test-kit';
import type { AddressBook } from '@causeway/protocol';
import { openStore, type Store } from '../../src/index.js';
import { temporaryStore, type TemporaryStore } from '../temporary-store.js';

const ours: AddressBook = anAddressBook();
const of = (store: Store, book: AddressBook) =>
  store.assertDeployment(book).then(
    () => null,
    (error: Error & { exitCode?: number }) => `${error.exitCode}: ${error.message}`,
  );

let t: TemporaryStore;
let api: Store;
beforeAll(async () => {
  t = await temporaryStore();
  api = openStore({ databaseUrl: loginUrl(t.url, 'causeway_api'), onIdleError: () => undefined });
});
beforeEach(async () => {
  await t.sql.query('TRUNCATE deployment');
});
afterAll(async () => {
  await api.close();
  await t.close();
});

describe('the deployment of a database', () => {
  it('is claimed by the first relayer, and accepted by it and by the API', async () => {
    expect(await of(api, ours)).toBeNull();
    await t.store.claimDeployment(ours);
    await t.store.claimDeployment(ours);
    expect([await of(api, ours), await of(t.store, ours)]).toEqual([null, null]);
  });

  it.each<[string, AddressBook]>([
    ['environment', { ...ours, environment: 'testnet' }],
    ['contract', { ...ours, partner: { ...ours.partner, bridgeMint: anAddress() } }],
    ['chain', { ...ours, ethereum: { ...ours.ethereum, chainId: 5 } }],
  ])('with another %s is refused, also by a claiming relayer, and stays', async (_, other) => {
    await t.store.claimDeployment(ours);
    const { rows: before } = await t.sql.query('SELECT * FROM deployment');
    const refusal = expect.stringMatching(
      /^78: .*it belongs to local, with BridgeLock 0x[^;]*DATABASE_URL or ADDRESS_BOOK is of another environment/,
    );
    expect(await of(api, other)).toEqual(refusal);
    await expect(t.store.claimDeployment(other)).rejects.toMatchObject({ exitCode: 78 });
    expect((await t.sql.query('SELECT * FROM deployment')).rows).toEqual(before);
  });

  it('cannot be claimed by the API', async () => {
    await expect(api.claimDeployment(ours)).rejects.toThrow('permission denied for table deployment');
  });
});
