import { temporaryDatabase } from '@causeway/test-kit';
import { Pool } from 'pg';
import { migrate, openStore, type Fence, type Store } from '../src/index.js';

/** A store on a new database. */
export interface TemporaryStore {
  readonly store: Store;
  readonly fence: Fence;
  /** Direct access, to test the invariants of the database. */
  readonly sql: Pool;
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Creates the database, applies the migrations and takes the lease. */
export async function temporaryStore(): Promise<TemporaryStore> {
  const database = await temporaryDatabase();
  await migrate(database.url);
  const store = openStore({ databaseUrl: database.url, onIdleError: () => undefined });
  const sql = new Pool({ connectionString: database.url, max: 4 });
  sql.on('error', () => undefined);
  const fence = await store.lease.acquire('relayer', 'test', 600_000);
  if (fence === null) throw new Error('A new database has no lease to wait for');
  return {
    store,
    fence,
    sql,
    url: database.url,
    close: async () => {
      await store.close();
      await sql.end();
      await database.stop();
    },
  };
}
