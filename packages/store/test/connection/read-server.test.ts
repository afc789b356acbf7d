import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { temporaryDatabase, type PostgresServer } from '@causeway/test-kit';
import { Client } from 'pg';
import { createRoles, migrate, readServer, ROLES } from '../../src/schema.js';

let database: PostgresServer;
let sql: Client;
beforeAll(async () => {
  database = await temporaryDatabase(migrate);
  await createRoles(database.url);
  sql = new Client({ connectionString: database.url });
  await sql.connect();
});
afterAll(async () => {
  await sql?.end();
  await database?.stop();
});

describe('readServer', () => {
  it('reads a database with its roles and without operations', async () => {
    const facts = await readServer(database.url, Date.now);
    expect(facts).toMatchObject({ isReplica: false, isSuperuser: true, wrongGrants: [], completed: 0 });
    expect([...facts.roles].toSorted()).toEqual([...ROLES].toSorted());
  });

  it('names removed and added rights on whole tables', async () => {
    await sql.query('REVOKE SELECT ON refund FROM causeway_api; GRANT SELECT ON admin_session TO causeway_readonly');
    const { wrongGrants } = await readServer(database.url, Date.now);
    expect(wrongGrants).toEqual(['causeway_api on refund', 'causeway_readonly on admin_session']);
    await createRoles(database.url);
    expect(await readServer(database.url, Date.now)).toMatchObject({ wrongGrants: [] });
  });

  it('measures a clock that differs by more than the response time', async () => {
    const { clockDifferenceMs } = await readServer(database.url, () => Date.now() - 60_000);
    expect(Math.round(clockDifferenceMs / 10_000)).toBe(6);
  });
});
