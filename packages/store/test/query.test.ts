import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { temporaryDatabase } from '@causeway/test-kit';
import { Pool } from 'pg';
import { openPrisma } from '../src/connection/open-prisma.js';
import { pinSession } from '../src/connection/session.js';
import type { PrismaClient } from '../src/generated/prisma/client.js';
import { execute, query, queryWhole, sql } from '../src/sql/query.js';

// A statement gives the same values on the pool, through the ORM and in its transactions.

let pool: Pool;
let prisma: PrismaClient;

beforeAll(async () => {
  const { url } = await temporaryDatabase();
  pool = new Pool({ connectionString: pinSession(url), max: 2 });
  pool.on('error', () => undefined);
  prisma = openPrisma(pool, url);
  await execute(pool)`CREATE TABLE thing (id bigint PRIMARY KEY, amount numeric(78,0))`;
});
afterAll(async () => {
  await prisma.$disconnect();
  if (!pool.ended) await pool.end();
});

describe('query', () => {
  const values = `9007199254740993::bigint AS count, (2::numeric ^ 255)::numeric(78,0) AS amount, NULL::numeric AS none,
    ARRAY[1, 9007199254740993]::bigint[] AS counts, '2026-11-26T01:02:03.004Z'::timestamptz AS at, 7 AS number,
    true AS flag, 'a' AS text, '{"amount": 1, "list": [1]}'::jsonb AS json`;
  const expected = {
    count: '9007199254740993',
    amount: (2n ** 255n).toString(),
    none: null,
    counts: ['1', '9007199254740993'],
    at: new Date('2026-11-26T01:02:03.004Z'),
    number: 7,
    flag: true,
    text: 'a',
    json: { amount: 1, list: [1] },
  };

  it('returns the same values in every place', async () => {
    const statement = { name: 'values', text: `SELECT ${values}` };
    expect(await query(pool, statement)).toEqual([expected]);
    expect(await query(prisma, statement)).toEqual([expected]);
    expect(await prisma.$transaction((tx) => query(tx, statement))).toEqual([expected]);
  });

  it('sends values separately from the text, including those of its parts', async () => {
    const isHostile = sql`${"'; DROP TABLE thing"}::text AS text`;
    for (const place of [pool, prisma])
      expect(await query(place)`SELECT ${isHostile}, ${2n ** 60n}::bigint AS big`).toEqual([
        { text: "'; DROP TABLE thing", big: (2n ** 60n).toString() },
      ]);
  });
});

describe('queryWhole', () => {
  it('can outlast the time limits of its pool', async () => {
    const limits = { query_timeout: 50, statement_timeout: 50, max: 1 };
    const hasty = new Pool({ connectionString: pool.options.connectionString!, ...limits });
    await expect(hasty.query('SELECT pg_sleep(0.2)')).rejects.toThrow('timeout');
    const rows = await queryWhole<{ n: number }>(hasty, 'SELECT $1::int AS n, pg_sleep(0.2)', [7]);
    expect(rows).toMatchObject([{ n: 7 }]);
    await hasty.end();
  });
});

describe('execute', () => {
  it('returns the number of changed rows, and is rolled back with its transaction', async () => {
    const broken = prisma.$transaction(async (tx) => {
      expect(await execute(tx)`INSERT INTO thing VALUES (1, ${'5'}::numeric), (2, 6)`).toBe(2);
      throw new Error('undone');
    });
    await expect(broken).rejects.toThrow('undone');
    expect(await execute(pool, { text: 'DELETE FROM thing WHERE id = ANY ($1)', values: [[1, 2]] })).toBe(0);
  });
});
