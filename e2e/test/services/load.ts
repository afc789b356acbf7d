import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAmount } from '@causeway/protocol';
import { testXcnAbi } from '@causeway/protocol/abi';
import { isLong } from '@causeway/test-kit';
import type { Fleet } from '@causeway/testbed/services';
import { describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { AlertWatch } from './faults/alert-watch.js';
import { Operations } from './operations.js';
import { prepareRequests } from './requests.js';
import { computeSlope, raiseLoad, STEPS } from './rising-load.js';
import { Traffic } from './traffic.js';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** An hour at night; shorter jobs set LOAD_MINUTES. */
const MINUTES = Number(process.env['LOAD_MINUTES'] ?? 60);
const FIRST = { perHour: 1_000, minutes: Math.min(5, MINUTES) } as const;
const SECOND = { perHour: 10_000, minutes: MINUTES } as const;
const WITHDRAWALS = countWithdrawals(FIRST, SECOND);
const STEP_MINUTES = Math.min(2, MINUTES);
const STEP_WITHDRAWALS = countWithdrawals(...STEPS.map((perHour) => ({ perHour, minutes: STEP_MINUTES })));
const XCN = parseAmount('XCN', '40000000');
const REQUESTS_PER_SECOND = 20;
const SAMPLE_MS = 5_000;
const PAUSE_MS = 50;
/** Time for all operations to end and be checked to the unit. */
const CHECK_MS = 30 * MINUTE_MS;

/**
 * Operations at a constant rate with unchanged alert rules. Prints bytes an operation in the database, latency and
 * memory, and expects no alert.
 */
export function describeLoad(getFleet: () => Fleet): void {
  if (!isLong) return;
  describe('under load', () => {
    it(
      `${FIRST.perHour} and ${SECOND.perHour} operations an hour for ${SECOND.minutes} minutes: none is lost or doubled, no alert`,
      async () => {
        const fleet = getFleet();
        await mintXcn(fleet);
        const operations = await Operations.prepare(fleet, WITHDRAWALS);
        const database = new Client({ connectionString: fleet.database.superuserUrl });
        await database.connect();
        const watch = new AlertWatch(fleet.monitoring);
        const traffic = new Traffic(await prepareRequests(fleet, operations.firstTxHash), REQUESTS_PER_SECOND);
        for (const load of [FIRST, SECOND]) await runLoad(fleet, operations, database, watch, load);
        process.stderr.write(`${await traffic.stop()} requests\n`);
        await database.end();
        expect(await operations.findFaults()).toEqual([]);
        expect(traffic.failures).toEqual([]);
        expect([...watch.seen]).toEqual([]);
      },
      (FIRST.minutes + SECOND.minutes) * MINUTE_MS + CHECK_MS,
    );

    it(
      `steps of ${STEPS.join(', ')} an hour until the lag grows: none is lost or doubled`,
      async () => {
        const fleet = getFleet();
        await mintXcn(fleet);
        const operations = await Operations.prepare(fleet, STEP_WITHDRAWALS);
        const database = new Client({ connectionString: fleet.database.superuserUrl });
        await database.connect();
        await raiseLoad(fleet, operations, database, STEP_MINUTES);
        await database.end();
        expect(await operations.findFaults()).toEqual([]);
      },
      STEPS.length * STEP_MINUTES * MINUTE_MS + CHECK_MS,
    );
  });
}

/** A number above the withdrawals of each asset that some loads make: a sixth of their operations. */
function countWithdrawals(...loads: readonly Load[]): bigint {
  return BigInt(Math.ceil(loads.reduce((sum, { perHour, minutes }) => sum + perHour * minutes, 0) / 60 / 5));
}

interface Load {
  readonly perHour: number;
  readonly minutes: number;
}

/** Sends operations at a rate, waits until they have ended, and prints measurements. */
async function runLoad(
  fleet: Fleet,
  operations: Operations,
  database: Client,
  watch: AlertWatch,
  load: Load,
): Promise<void> {
  const before = await readSizes(database);
  const first = operations.sent.length;
  const memory = new MemorySamples(fleet);
  const commits = new Commits(database);
  const startedAtMs = Date.now();
  const endMs = startedAtMs + load.minutes * MINUTE_MS;
  for (let now = startedAtMs; now < endMs; now = Date.now()) {
    const due = first + (load.perHour * (now - startedAtMs)) / HOUR_MS;
    while (operations.sent.length < due) await operations.begin();
    if (memory.sampleAt(now)) await watch.list();
    await commits.sample();
    await sleep(PAUSE_MS);
  }
  await operations.untilCompleted();
  const count = operations.sent.length - first;
  const minutes = (Date.now() - startedAtMs) / MINUTE_MS;
  const after = await readSizes(database);
  const lines = [
    `${load.perHour} an hour for ${load.minutes} minutes: ${count} operations, all ended after ${minutes.toFixed(1)} minutes`,
    ...describeSizes(before, after, count),
    await commits.describe(),
    ...memory.describe(),
    `load of the machine: ${readFileSync('/proc/loadavg', 'utf8').trim()}`,
  ];
  process.stderr.write(`${lines.join('\n')}\n`);
}

/** The size of each table with its indexes, and the position of the write-ahead log, in bytes. */
async function readSizes(database: Client): Promise<ReadonlyMap<string, number>> {
  const { rows } = await database.query<{ name: string; bytes: string }>(
    `SELECT relname AS name, pg_total_relation_size(oid)::text AS bytes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
     UNION ALL SELECT 'write-ahead log', pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text`,
  );
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

function describeSizes(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  count: number,
): string[] {
  const growth = [...after].map(([name, bytes]) => [name, (bytes - (before.get(name) ?? 0)) / count] as const);
  const log = growth.find(([name]) => name === 'write-ahead log')?.[1] ?? 0;
  const tables = growth.filter(([name]) => name !== 'write-ahead log').toSorted(([, one], [, other]) => other - one);
  const sum = tables.reduce((total, [, bytes]) => total + bytes, 0);
  const largest = tables.slice(0, 6).map(([name, bytes]) => `${name} ${Math.round(bytes)}`);
  return [`bytes an operation: ${Math.round(sum)} in tables (${largest.join(', ')}), ${Math.round(log)} of log`];
}

/** Commit times of the transactions that made operations due for delivery. */
class Commits {
  private readonly atMs = new Map<string, number>();

  constructor(private readonly database: Client) {}

  /** Reads the commit times of currently due operations. An operation due only between two readings is missed. */
  async sample(): Promise<void> {
    const { rows } = await this.database.query<{ id: string; ms: number }>(
      `SELECT id, extract(epoch FROM pg_xact_commit_timestamp(changed_in::text::xid))::float8 * 1000 AS ms
       FROM operation WHERE status = 'AWAITING_RELAY' AND hold_released_at IS NOT NULL`,
    );
    for (const { id, ms } of rows) if (!this.atMs.has(id)) this.atMs.set(id, ms);
  }

  /** Describes the time to the delivery's first signature, which is broadcast once its row is committed. */
  async describe(): Promise<string> {
    const { rows } = await this.database.query<{ id: string; ms: number }>(
      `SELECT c.operation_id AS id, extract(epoch FROM min(t.created_at))::float8 * 1000 AS ms
       FROM call_operation c JOIN signed_transaction t ON t.call_id = c.call_id GROUP BY c.operation_id`,
    );
    const seconds = rows
      .flatMap(({ id, ms }) => (this.atMs.has(id) ? [(ms - (this.atMs.get(id) ?? 0)) / 1_000] : []))
      .toSorted((one, other) => one - other);
    const pick = (share: number) => seconds[Math.ceil(share * seconds.length) - 1]?.toFixed(2) ?? '-';
    return `commit to broadcast: ${seconds.length} operations, p50 ${pick(0.5)} s, p99 ${pick(0.99)} s, most ${pick(1)} s`;
  }
}

/** The memory of every process over time, without file pages, which the system can reclaim. */
class MemorySamples {
  private readonly startedAtMs = Date.now();
  private readonly byProcess = new Map<string, { readonly hours: number; readonly mb: number }[]>();
  private nextAtMs = 0;

  constructor(private readonly fleet: Fleet) {}

  /** Returns whether a sample was due. */
  sampleAt(nowMs: number): boolean {
    if (nowMs < this.nextAtMs) return false;
    this.nextAtMs = nowMs + SAMPLE_MS;
    const hours = (nowMs - this.startedAtMs) / HOUR_MS;
    for (const { name, pid } of this.fleet.processes.list()) {
      const kb = Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
      this.byProcess.set(name, [...(this.byProcess.get(name) ?? []), { hours, mb: kb / 1_024 }]);
    }
    return true;
  }

  describe(): string[] {
    return [...this.byProcess].map(([name, samples]) => {
      const pick = (share: number) => samples[Math.floor(share * (samples.length - 1))]?.mb.toFixed(0) ?? '-';
      // In the first half, caches fill.
      const slope = computeSlope(
        samples.slice(Math.floor(samples.length / 2)).map(({ hours, mb }) => [hours, mb] as const),
      );
      return `${name}: ${pick(0)} MB, ${pick(0.5)} MB, ${pick(1)} MB; ${slope.toFixed(0)} MB an hour in the second half`;
    });
  }
}

/** Mints enough for an hour of deposits. Any account can mint the test token. */
async function mintXcn({ ethereum, book, accounts }: Fleet): Promise<void> {
  const hash = await ethereum.getWallet(accounts.deployer).writeContract({
    address: book.ethereum.tokens.XCN,
    abi: testXcnAbi,
    functionName: 'mint',
    args: [accounts.alice.address, XCN],
  });
  await ethereum.client.waitForTransactionReceipt({ hash });
}
