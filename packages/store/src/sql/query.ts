import { Pool, type QueryResultRow } from 'pg';
import { Prisma } from '../generated/prisma/client.js';

// Prisma reads and writes single rows. Statements on sets of rows and locks are SQL, and run here.

/** Where SQL runs: on any connection, or in the transaction of the caller. */
type Place = Pool | Prisma.TransactionClient;

/** SQL text with its values $1, $2 and so on. With a name, each connection of a pool prepares it once. */
interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

type Tag<R> = (text: TemplateStringsArray, ...values: unknown[]) => Promise<R>;

export const sql = Prisma.sql;

/**
 * Runs SQL and returns its rows: query(tx)`SELECT ${id}`, or a `Statement`. In both places `bigint` and `numeric` are
 * returned as decimal strings, and timestamps as `Date`s.
 */
export function query<Row = unknown>(place: Place): Tag<Row[]>;
export function query<Row = unknown>(place: Place, statement: Statement): Promise<Row[]>;
export function query<Row>(place: Place, statement?: Statement): Tag<Row[]> | Promise<Row[]> {
  return statement === undefined
    ? (text, ...values) => queryRows(place, sql(text, ...values))
    : queryRows(place, statement);
}

/** Runs SQL as `query` does, and returns the number of changed rows. */
export function execute(place: Place): Tag<number>;
export function execute(place: Place, statement: Statement): Promise<number>;
export function execute(place: Place, statement?: Statement): Tag<number> | Promise<number> {
  return statement === undefined
    ? (text, ...values) => countAffected(place, sql(text, ...values))
    : countAffected(place, statement);
}

/** How long an operator's command waits for a query on whole tables, in milliseconds. */
const WHOLE_MS = 600_000;

/**
 * Runs SQL that reads whole tables, for an operator's command. It can take 10 minutes, regardless of the pool's limits.
 */
export async function queryWhole<Row extends QueryResultRow>(
  pool: Pool,
  text: string,
  values: readonly unknown[] = [],
) {
  const client = await pool.connect();
  try {
    await client.query(
      `BEGIN READ ONLY; SET LOCAL statement_timeout = ${WHOLE_MS}; SET LOCAL max_parallel_workers_per_gather = 2`,
    );
    // The pool's client-side limit would end the query before the server's.
    const statement = { text, values: [...values], query_timeout: WHOLE_MS + 2_000 };
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.query('ROLLBACK').catch(() => undefined);
    client.release();
  }
}

async function queryRows<Row>(place: Place, { name, text, values = [] }: Statement): Promise<Row[]> {
  if (place instanceof Pool) {
    const { rows } = await place.query({ text, values: [...values], ...(name === undefined ? {} : { name }) });
    return rows as Row[];
  }
  const rows = await place.$queryRawUnsafe<Record<string, unknown>[]>(text, ...values);
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, toText(value)])) as Row);
}

async function countAffected(place: Place, { text, values = [] }: Statement): Promise<number> {
  if (place instanceof Pool) return (await place.query(text, [...values])).rowCount ?? 0;
  return place.$executeRawUnsafe(text, ...values);
}

/** Converts the number objects of Prisma to text. */
function toText(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toText);
  if (typeof value === 'bigint') return value.toString();
  return Prisma.Decimal.isDecimal(value) ? value.toFixed() : value;
}
