import type { Pool, PoolClient } from 'pg';

// Orders two transactions by locks, without pauses. One waits for a row that the test has locked, the other runs, then
// the test releases the row.

/** A row that no other session can lock or change until `release`. */
export interface HeldRow {
  readonly release: () => Promise<void>;
}

/** Locks what a `SELECT ... FOR UPDATE` finds. */
export async function hold(sql: Pool, query: string, values: unknown[]): Promise<HeldRow> {
  const client: PoolClient = await sql.connect();
  await client.query('BEGIN');
  const { rowCount } = await client.query(query, values);
  if (rowCount === 0) throw new Error(`Nothing to hold: ${query}`);
  return {
    release: async () => {
      await client.query('ROLLBACK');
      client.release();
    },
  };
}

/** Waits until this many transactions of the database wait for a lock. */
export async function untilBlocked(sql: Pool, count: number): Promise<void> {
  while ((await blocked(sql)) < count) await turn();
}

/** Waits until the step has ended, or until it waits for a lock in addition to the `count` earlier waiters. */
export async function untilEndedOrBlocked(sql: Pool, step: Promise<unknown>, count: number): Promise<void> {
  const seen = { ended: false };
  const end = () => void (seen.ended = true);
  step.then(end, end);
  while (!seen.ended && (await blocked(sql)) <= count) await turn();
}

async function blocked(sql: Pool): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND state <> 'idle' AND cardinality(pg_blocking_pids(pid)) > 0`,
  );
  return rows[0]?.count ?? 0;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
