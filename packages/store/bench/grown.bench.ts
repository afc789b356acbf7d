import { parseArgs } from 'node:util';
import { pinSession } from '../dist/connection/session.js';
import { migrate, openStore, type Store } from '../dist/index.js';
import { temporaryDatabase } from '@causeway/test-kit';
import { Client, Pool } from 'pg';
import { fillStore } from './large-store.ts';
import { READS } from './reads.ts';
import { explainTurn, TURNS } from './turns.ts';

// How the database grows: the times of clients' reads and of each stage's queries beside those of a small database, and
// the size of each table. Run it after a build: node bench/grown.bench.ts [--ended 1000000] [--small 10000]
// [--samples 200] [--plans] [--only NAME] [--large URL]. `--large`: a filled database, such as one that an earlier run
// left on the server of TEST_POSTGRES_URL.
const { values } = parseArgs({
  options: {
    ended: { type: 'string', default: '1000000' },
    small: { type: 'string', default: '10000' },
    samples: { type: 'string', default: '200' },
    only: { type: 'string', default: '' },
    plans: { type: 'boolean', default: false },
    large: { type: 'string' },
  },
});
/** Per pending state. */
const PENDING = 33;
const WARM_UP = 5;
const MOST_TIMES = 2;
/** An operator's commands, which compare whole tables. */
const UNBOUNDED = new Set(['unmatched']);
const print = (line: string) => process.stdout.write(`${line}\n`);

/** A filled database with its store. */
interface Filled {
  readonly ended: number;
  readonly store: Store;
  readonly sql: Client;
  readonly close: () => Promise<void>;
}

const small = await open(Number(values.small));
const large = await open(Number(values.ended), values.large);
try {
  await compare();
  await printSizes(large);
  if (values.plans) for (const turn of TURNS.filter(({ stage }) => isChosen(stage))) await printPlans(turn);
} finally {
  await small.close();
  await large.close();
}

async function open(ended: number, filled?: string): Promise<Filled> {
  const database = filled === undefined ? await temporaryDatabase() : { url: filled, stop: async () => undefined };
  if (filled === undefined) {
    await migrate(database.url);
    const pool = new Pool({ connectionString: database.url, max: 1 });
    const startedAt = performance.now();
    await fillStore(pool, { ended, pending: PENDING });
    await pool.end();
    print(`${ended} ended and ${6 * PENDING} pending operations, written in ${seconds(startedAt)} s: ${database.url}`);
  }
  const store = openStore({ databaseUrl: database.url, onIdleError: () => undefined });
  const sql = new Client({ connectionString: pinSession(database.url) });
  await sql.connect();
  const close = async () => {
    await sql.end();
    await store.close();
    await database.stop();
  };
  return { ended, store, sql, close };
}

function seconds(startedAt: number): string {
  return ((performance.now() - startedAt) / 1_000).toFixed(0);
}

/** Each sample reads both databases, so that other work on the machine disturbs both alike. */
async function compare(): Promise<void> {
  print(`\nMilliseconds and blocks at ${small.ended} and at ${large.ended}, with the ratio`);
  print(
    `${''.padEnd(26)}${['p50', 'p50', 'ratio', 'p99', 'p99', 'ratio', 'blocks', 'blocks', 'ratio'].map((name) => name.padStart(9)).join('')}`,
  );
  const last = ({ ended }: Filled) => ended + 6 * PENDING;
  const reads = READS.map(({ name, run }) => ({
    name,
    run: async (of: Filled, share: number) => run(of.store, 20 + Math.floor(share * (of.ended - 20)), last(of)),
  }));
  const turns = TURNS.filter(({ stage }) => !UNBOUNDED.has(stage)).map(({ stage, run }) => ({
    name: `stage ${stage}`,
    run: async (of: Filled) => run(of.store),
  }));
  for (const { name, run } of [...reads, ...turns].filter((each) => isChosen(each.name))) {
    const times: Record<'small' | 'large', number[]> = { small: [], large: [] };
    for (let sample = -WARM_UP; sample < Number(values.samples); sample += 1) {
      const share = Math.random();
      for (const [size, of] of Object.entries({ small, large }) as ['small' | 'large', Filled][]) {
        const startedAt = performance.now();
        await run(of, share);
        if (sample >= 0) times[size].push(performance.now() - startedAt);
      }
    }
    const ranks = [0.5, 0.99].map((rank) => [at(times.small, rank), at(times.large, rank)] as const);
    // Blocks do not depend on the machine and its caches.
    const blocks = [await countBlocks(small, run), await countBlocks(large, run)] as const;
    const columns = [...ranks, blocks].flatMap((pair) => [
      ...pair.map((value) => value.toFixed(Number.isInteger(value) ? 0 : 2)),
      (pair[1] / pair[0]).toFixed(2),
    ]);
    const isOver = at(times.large, 0.5) > MOST_TIMES * at(times.small, 0.5);
    print(`${name.padEnd(26)}${columns.map((text) => text.padStart(9)).join('')}${isOver ? '  over' : ''}`);
  }
}

/** The blocks that a run reads, of a row in the middle. */
async function countBlocks(of: Filled, run: (of: Filled, share: number) => Promise<unknown>): Promise<number> {
  const plans = await explainTurn({ stage: '', run: async () => run(of, 0.5) }, of.store, of.sql);
  return plans.reduce((sum, { blocks }) => sum + blocks, 0);
}

function at(times: readonly number[], rank: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(rank * times.length)] ?? 0;
}

function isChosen(name: string): boolean {
  return name.includes(values.only);
}

async function printSizes({ sql, ended }: Filled): Promise<void> {
  const { rows } = await sql.query<{ name: string; rows: string; heap: string; indexes: string }>(
    `SELECT relname AS name, reltuples::bigint AS rows, pg_table_size(oid) AS heap, pg_indexes_size(oid) AS indexes
     FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY pg_total_relation_size(oid) DESC`,
  );
  const total = rows.reduce((sum, { heap, indexes }) => sum + Number(heap) + Number(indexes), 0);
  print(`\n${(total / 2 ** 30).toFixed(2)} GiB, ${(total / ended).toFixed(0)} bytes an operation`);
  print(`${'table'.padEnd(26)}${['rows', 'MiB', 'indexes', 'B/op'].map((name) => name.padStart(12)).join('')}`);
  for (const { name, heap, indexes, rows: count } of rows.slice(0, 20)) {
    const bytes = (Number(heap) + Number(indexes)) / ended;
    const columns = [
      count,
      (Number(heap) / 2 ** 20).toFixed(1),
      (Number(indexes) / 2 ** 20).toFixed(1),
      bytes.toFixed(0),
    ];
    print(`${name.padEnd(26)}${columns.map((text) => text.padStart(12)).join('')}`);
  }
}

async function printPlans(turn: (typeof TURNS)[number]): Promise<void> {
  print(`\n${turn.stage}`);
  for (const { text, ms, blocks, scans } of await explainTurn(turn, large.store, large.sql))
    print(`    ${ms.toFixed(2)} ms, ${blocks} blocks: ${text}\n      ${scans.join(', ')}`);
}
