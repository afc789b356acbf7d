import { parseArgs } from 'node:util';
import { pinSession } from '../dist/connection/session.js';
import { migrate, openStore } from '../dist/index.js';
import { temporaryDatabase } from '@causeway/test-kit';
import { Client, Pool } from 'pg';
import { fillStore } from './large-store.ts';
import { explainTurn, TURNS } from './turns.ts';

// The database time of every stage's run, in a database with a million ended operations. Run it after a build: node
// bench/store.bench.ts [--ended 1000000] [--pending 33] [--rounds 5] [--plans]
const { values } = parseArgs({
  options: {
    ended: { type: 'string', default: '1000000' },
    pending: { type: 'string', default: '33' },
    rounds: { type: 'string', default: '5' },
    plans: { type: 'boolean', default: false },
  },
});
const size = { ended: Number(values.ended), pending: Number(values.pending) };
const GOAL_MS = 20;
const print = (line: string) => process.stdout.write(`${line}\n`);

const database = await temporaryDatabase();
await migrate(database.url);
const pool = new Pool({ connectionString: database.url, max: 1 });
const sql = new Client({ connectionString: pinSession(database.url) });
const store = openStore({ databaseUrl: database.url, onIdleError: () => undefined });
try {
  const startedAt = performance.now();
  await fillStore(pool, size);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  print(`${size.ended} ended and ${6 * size.pending} pending operations, written in ${seconds} s\n`);
  await sql.connect();
  for (const turn of TURNS) print(await measure(turn));
} finally {
  await sql.end();
  await pool.end();
  await store.close();
  await database.stop();
}

/** One line: the median of the rounds, or why the run failed. The first round warms the caches. */
async function measure(turn: (typeof TURNS)[number]): Promise<string> {
  const rounds: number[] = [];
  try {
    for (let round = 0; round <= Number(values.rounds); round += 1) {
      const plans = await explainTurn(turn, store, sql);
      if (round > 0) rounds.push(plans.reduce((sum, { ms }) => sum + ms, 0));
      else if (values.plans) for (const plan of plans) printPlan(plan);
    }
  } catch (error) {
    return `${turn.stage.padEnd(10)} failed: ${String(error)}`;
  }
  const ms = rounds.toSorted((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? 0;
  return `${turn.stage.padEnd(10)} ${ms.toFixed(2).padStart(9)} ms  ${ms < GOAL_MS ? 'ok' : `over ${GOAL_MS} ms`}`;
}

function printPlan({ text, ms, blocks, scans }: Awaited<ReturnType<typeof explainTurn>>[number]): void {
  print(`    ${ms.toFixed(2)} ms, ${blocks} blocks: ${text}\n      ${scans.join(', ')}`);
}
