import { Pool } from 'pg';
import { startEmbeddedPostgres } from '../src/connection/embedded-postgres.js';
import { migrate, openStore, type Fence, type Store } from '../src/index.js';

/** A store on a PostgreSQL server of its own, which goes with it. */
export interface TemporaryStore {
  readonly store: Store;
  readonly fence: Fence;
  /** Past the store's door, to see what the database itself refuses. */
  readonly sql: Pool;
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Starts the server, applies the migrations and takes the lease. */
export async function temporaryStore(): Promise<TemporaryStore> {
  const server = await startEmbeddedPostgres();
  await migrate(server.url);
  const store = openStore({ databaseUrl: server.url, onIdleError: () => undefined });
  const sql = new Pool({ connectionString: server.url, max: 4 });
  sql.on('error', () => undefined);
  const fence = await store.lease.acquire('relayer', 'test', 600_000);
  if (fence === null) throw new Error('A new database has no lease to wait for');
  return {
    store,
    fence,
    sql,
    url: server.url,
    close: async () => {
      await store.close();
      await sql.end();
      await server.stop();
    },
  };
}
