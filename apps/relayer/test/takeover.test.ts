import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { anAddressBook, loginUrl, temporaryDatabase, waitUntil, type PostgresServer } from '@causeway/test-kit';
import { Client } from 'pg';
import { makeTables } from './make-tables.js';

// Two relayers with the default times on one database. The first is killed or frozen, the second takes over.
// Alone, so that its time counts, and frozen inside a transaction: e2e/chaos kills the whole bridge at its pace.

// Two processes start, and on a busy machine that takes long.
jest.setTimeout(180_000);

const program = fileURLToPath(new URL('scheduler-process.mjs', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'causeway-takeover-'));
let database: PostgresServer;
let relayers: Relayer[] = [];

beforeAll(async () => {
  database = await temporaryDatabase(makeTables);
  writeFileSync(join(directory, 'book.json'), JSON.stringify(anAddressBook()));
});
afterEach(async () => {
  for (const { child } of relayers) if (child.exitCode === null && child.signalCode === null) await kill(child);
  relayers = [];
});
afterAll(async () => {
  await database.stop();
  rmSync(directory, { recursive: true });
});

/** A relayer, and how often it has written and broadcast so far. */
interface Relayer {
  readonly child: ChildProcess;
  readonly seen: { writes: number; broadcasts: number };
}

function start(): Relayer {
  const env = {
    ...process.env,
    ENVIRONMENT: 'local',
    DATABASE_URL: loginUrl(database.url, 'causeway_relayer'),
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
  const relayer = { child, seen };
  relayers.push(relayer);
  return relayer;
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

/** Waits until this many relayers have connected and listen to notifications. */
async function untilListening(count: number): Promise<void> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const listening = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`;
  await waitUntil('the relayers listen', async () => (await client.query(listening)).rowCount === count);
  await client.end();
}

/** Starts two relayers, of which the first works. */
async function pair(): Promise<{ leader: Relayer; passive: Relayer }> {
  const leader = start();
  await works(leader);
  const passive = start();
  await untilListening(2);
  await works(leader);
  return { leader, passive };
}

/** Milliseconds until the relayer works. */
async function timeToWork(relayer: Relayer): Promise<number> {
  const startedAt = performance.now();
  await works(relayer);
  return performance.now() - startedAt;
}

/** Stops a relayer between two statements of a transaction, after the check of its token. */
async function freezeInTransaction({ child }: Relayer): Promise<void> {
  const client = new Client({ connectionString: database.url });
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

describe('the passive relayer takes over', () => {
  it('within 10 seconds after a kill -9', async () => {
    const { leader, passive } = await pair();
    expect(passive.seen.writes).toBe(0);
    await kill(leader.child);
    expect(await timeToWork(passive)).toBeLessThan(10_000);
  });

  it('before the lease would expire after an orderly end', async () => {
    const { leader, passive } = await pair();
    leader.child.kill('SIGTERM');
    expect(await timeToWork(passive)).toBeLessThan(5_000);
  });

  it.each([
    ['', async ({ child }: Relayer) => void child.kill('SIGSTOP')],
    [' inside a transaction', freezeInTransaction],
  ])('within 20 seconds after a freeze%s; the frozen one comes back, writes and sends nothing', async (_, freeze) => {
    const { leader, passive } = await pair();
    await freeze(leader);
    expect(await timeToWork(passive)).toBeLessThan(20_000);
    const before = { ...leader.seen };
    leader.child.kill('SIGCONT');
    for (let run = 0; run < 3; run += 1) await works(passive);
    // A message of a write that had committed before the freeze may arrive now.
    expect(leader.seen.writes - before.writes).toBeLessThanOrEqual(1);
    expect(leader.seen.broadcasts).toBe(before.broadcasts);
    expect(leader.child.exitCode).toBeNull();
    await kill(passive.child);
    expect(await timeToWork(leader)).toBeLessThan(10_000);
  });
});

it('a relayer survives the loss of all its connections, and goes on', async () => {
  const relayer = start();
  await works(relayer);
  const client = new Client({ connectionString: database.url });
  await client.connect();
  for (let loss = 0; loss < 3; loss += 1) {
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await works(relayer);
  }
  await client.end();
  expect(relayer.child.exitCode).toBeNull();
});
