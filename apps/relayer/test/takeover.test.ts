import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { anAddressBook, loginUrl, temporaryDatabase, waitUntil } from '@causeway/test-kit';
import { Client } from 'pg';
import { makeTables } from './make-tables.js';

// Two relayers with the default times on one database. The first is killed or frozen, and the second takes over. The
// rest of the bridge is left out, so that it does not affect the measured time, and the freeze hits a transaction.
// e2e/chaos kills the whole bridge at its own pace.

// Two processes start, which takes long on a busy machine.
jest.setTimeout(180_000);

const program = fileURLToPath(new URL('scheduler-process.mjs', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'causeway-takeover-'));
writeFileSync(join(directory, 'book.json'), JSON.stringify(anAddressBook()));
afterAll(() => rmSync(directory, { recursive: true }));

/** A relayer, with its numbers of writes and broadcasts so far. */
interface Relayer {
  readonly child: ChildProcess;
  readonly databaseUrl: string;
  readonly seen: { writes: number; broadcasts: number };
}

function start(databaseUrl: string): Relayer {
  const env = {
    ...process.env,
    ENVIRONMENT: 'local',
    DATABASE_URL: loginUrl(databaseUrl, 'causeway_relayer'),
    ETHEREUM_RPC_URLS: 'http://127.0.0.1:9',
    PARTNER_RPC_URLS: 'http://127.0.0.1:9',
    ADDRESS_BOOK: join(directory, 'book.json'),
    RELAYER_PRIVATE_KEY: `0x${'1'.repeat(64)}`,
  };
  const child = fork(program, [], { env, execArgv: [] });
  const seen = { writes: 0, broadcasts: 0 };
  child.on('message', (message) => {
    if (message === 'write') seen.writes += 1;
    if (message === 'broadcast') seen.broadcasts += 1;
  });
  return { child, databaseUrl, seen };
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

const works = (relayer: Relayer) => {
  const { broadcasts } = relayer.seen;
  return waitUntil('the relayer works', () => relayer.seen.broadcasts > broadcasts);
};

/** Waits until this many relayers listen for notifications. */
async function untilListening({ databaseUrl }: Relayer, count: number): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const listening = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`;
  await waitUntil('the relayers listen', async () => (await client.query(listening)).rowCount === count);
  await client.end();
}

/** Starts relayers on their own database. They mostly wait, so the tests run concurrently. */
function withRelayers(test: (startOne: () => Relayer) => Promise<void>): () => Promise<void> {
  return async () => {
    const database = await temporaryDatabase(makeTables);
    const relayers: Relayer[] = [];
    try {
      await test(() => {
        const relayer = start(database.url);
        relayers.push(relayer);
        return relayer;
      });
    } finally {
      for (const { child } of relayers) if (child.exitCode === null && child.signalCode === null) await kill(child);
      await database.stop();
    }
  };
}

/** Starts two relayers, of which the first is active. */
function withPair(test: (leader: Relayer, passive: Relayer) => Promise<void>): () => Promise<void> {
  return withRelayers(async (startOne) => {
    const leader = startOne();
    await works(leader);
    const passive = startOne();
    await untilListening(leader, 2);
    await works(leader);
    await test(leader, passive);
  });
}

/** Milliseconds until the relayer works. */
async function timeToWork(relayer: Relayer): Promise<number> {
  const startedAt = performance.now();
  await works(relayer);
  return performance.now() - startedAt;
}

/** Stops a relayer between two statements of a transaction, after the check of its fencing token. */
async function freezeInTransaction({ child, databaseUrl }: Relayer): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('LOCK TABLE chain_cursor IN SHARE MODE');
    const blocked = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`;
    await waitUntil('the relayer waits for the table', async () => (await client.query(blocked)).rowCount === 1);
    child.kill('SIGSTOP');
    await client.query('ROLLBACK');
    const sleeping = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'`;
    await waitUntil('its session sleeps', async () => (await client.query(sleeping)).rowCount === 1);
  } finally {
    await client.end();
  }
}

describe('a relayer', () => {
  it.concurrent(
    'takes over within 10 seconds after a kill -9',
    withPair(async (leader, passive) => {
      expect(passive.seen.writes).toBe(0);
      await kill(leader.child);
      expect(await timeToWork(passive)).toBeLessThan(10_000);
    }),
  );

  it.concurrent(
    'takes over before the lease would expire after an orderly shutdown',
    withPair(async (leader, passive) => {
      leader.child.kill('SIGTERM');
      expect(await timeToWork(passive)).toBeLessThan(5_000);
    }),
  );

  const freezes = [
    ['', async ({ child }: Relayer) => void child.kill('SIGSTOP')],
    [' inside a transaction', freezeInTransaction],
  ] as const;
  for (const [where, freeze] of freezes)
    it.concurrent(
      `takes over within 20 seconds after a freeze${where}; the frozen one resumes without writing or sending`,
      withPair(async (leader, passive) => {
        await freeze(leader);
        expect(await timeToWork(passive)).toBeLessThan(20_000);
        const before = { ...leader.seen };
        leader.child.kill('SIGCONT');
        for (let run = 0; run < 3; run += 1) await works(passive);
        // A message about a write committed before the freeze can arrive now.
        expect(leader.seen.writes - before.writes).toBeLessThanOrEqual(1);
        expect(leader.seen.broadcasts).toBe(before.broadcasts);
        expect(leader.child.exitCode).toBeNull();
        await kill(passive.child);
        expect(await timeToWork(leader)).toBeLessThan(10_000);
      }),
    );

  it.concurrent(
    'survives the loss of all its connections',
    withRelayers(async (startOne) => {
      const relayer = startOne();
      await works(relayer);
      const client = new Client({ connectionString: relayer.databaseUrl });
      await client.connect();
      for (let loss = 0; loss < 3; loss += 1) {
        await client.query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        );
        await works(relayer);
      }
      await client.end();
      expect(relayer.child.exitCode).toBeNull();
    }),
  );
});
