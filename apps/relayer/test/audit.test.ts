import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStore, type Store } from '@causeway/store';
import { anAddress, loginUrl, temporaryDatabase, type PostgresServer } from '@causeway/test-kit';
import { Client } from 'pg';
import { makeTables } from './make-tables.js';

// `relayer audit verify` as an operator runs it: the compiled program, with only a real database.

const main = createRequire(import.meta.url).resolve('@causeway/relayer/main');
let database: PostgresServer;
let store: Store;
beforeAll(async () => {
  database = await temporaryDatabase(makeTables);
  store = openStore({ databaseUrl: loginUrl(database.url, 'causeway_relayer'), onIdleError: () => undefined });
  for (const action of ['sign-in', 'retry', 'sign-out'])
    await store.adminAudit.append({ actor: anAddress(), role: 'operator', sessionId: null, action, reason: action });
});
afterAll(async () => {
  await store?.close();
  await database?.stop();
});

async function verify(
  ...options: readonly string[]
): Promise<{ code: number | null; lines: string[]; stderr: string }> {
  return new Promise((resolve) => {
    const words = ['--disable-warning=ExperimentalWarning', main, 'audit', 'verify', ...options];
    const child = execFile(
      process.execPath,
      words,
      { env: { DATABASE_URL: loginUrl(database.url, 'causeway_relayer') } },
      (_, stdout, stderr) => resolve({ code: child.exitCode, lines: stdout.trim().split('\n'), stderr }),
    );
  });
}

describe('relayer audit verify', () => {
  it('prints the head of an unbroken log, and finds an edited row', async () => {
    const { head } = await store.adminAudit.verify();
    const noted = `${head.sequence}:${head.hash}`;
    const unbroken = { code: 0, lines: [`3 rows are unbroken. Head: ${noted}`], stderr: '' };
    expect(await verify()).toEqual(unbroken);
    expect(await verify('--head', noted)).toEqual(unbroken);

    const superuser = new Client({ connectionString: database.url });
    await superuser.connect();
    await superuser.query(
      `BEGIN; SET LOCAL session_replication_role = replica; UPDATE admin_audit SET reason = 'x' WHERE sequence = 2; COMMIT`,
    );
    await superuser.end();
    const { code, lines } = await verify();
    expect([code, lines[0], lines[1]]).toEqual([
      1,
      expect.stringMatching(/^1 row is unbroken\. Head: 1:0x/),
      expect.stringMatching(/^Row 2 is broken: hash is .*a column was changed\.$/),
    ]);
  });

  it('refuses a malformed head', async () => {
    expect(await verify('--head', '7')).toMatchObject({ code: 1, stderr: expect.stringMatching(/^--head must be/) });
  });
});
