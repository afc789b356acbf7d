import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DELAY_REASONS, DIRECTIONS, listAssets, OPERATION_STATUSES } from '@causeway/protocol';
import { isLong, temporaryDatabase, type PostgresServer } from '@causeway/test-kit';
import { Client, Pool } from 'pg';
import { fillStore, NOW } from '../bench/large-store.js';
import { explainTurn, TURNS } from '../bench/turns.js';
import { findViolations } from '../bench/violations.js';
import { pinSession } from '../src/connection/session.js';
import { migrate, openStore, type OperationFilters, type Store } from '../src/index.js';

// The plans of the stages' queries in a large database: a million ended operations in the long run. A run must read in
// proportion to pending operations only, so the same bound holds for every size.

const ENDED = isLong ? 1_000_000 : 50_000;
const FILL_TIMEOUT_MS = 1_800_000;
/** Blocks of one run. A filtered page of a history looks up 1,000 operations at four or five blocks each. */
const MOST_BLOCKS = 6_000;
const LARGE = new Set([
  'operation',
  'operation_party',
  'party_counter',
  'intent',
  'chain_event',
  'chain_block',
  'inbound_transfer',
  'wallet_call',
  'signed_transaction',
  'call_operation',
  'retired_operation',
  'admin_request',
  'admin_audit',
  'notification',
]);
/** An operator's command, which compares whole tables. */
const UNBOUNDED = new Set(['unmatched']);

/** Blocks of a page of 50: five for each operation, plus 62 index ranges. */
const MOST_BLOCKS_OF_PAGE = 600;
const ANY = { status: null, delay: null, asset: null, direction: null, kind: null, from: null, until: null };
const VALUES: Readonly<Partial<Record<keyof OperationFilters, readonly string[]>>> = {
  status: OPERATION_STATUSES,
  delay: DELAY_REASONS,
  asset: listAssets(),
  direction: DIRECTIONS,
  kind: ['DEPOSIT', 'BURN', 'NATIVE_WITHDRAWAL', 'INTENT', 'TRANSFER'],
};

/** No filter, each single filter, each pair, and each triple of the public list. */
function listFilters(): Partial<OperationFilters>[] {
  const singles = Object.entries(VALUES).flatMap(([name, values]) => values.map((value) => ({ [name]: value })));
  const pairs = singles.flatMap((one, index) =>
    singles
      .slice(index + 1)
      .flatMap((other) => (Object.keys(one)[0] === Object.keys(other)[0] ? [] : [{ ...one, ...other }])),
  );
  const triples = listAssets().flatMap((asset) =>
    DIRECTIONS.flatMap((direction) => OPERATION_STATUSES.map((status) => ({ asset, direction, status }))),
  );
  return [{}, ...singles, ...pairs, ...triples];
}

let database: PostgresServer;
let pool: Pool;
let sql: Client;
let store: Store;

beforeAll(async () => {
  database = await temporaryDatabase(migrate);
  pool = new Pool({ connectionString: database.url, max: 1 });
  pool.on('error', () => undefined);
  await fillStore(pool, { ended: ENDED, pending: 33 });
  sql = new Client({ connectionString: pinSession(database.url) });
  await sql.connect();
  store = openStore({ databaseUrl: database.url, onIdleError: () => undefined });
}, FILL_TIMEOUT_MS);
afterAll(async () => {
  await store.close();
  await sql.end();
  await pool.end();
  await database.stop();
});

describe(`with ${ENDED} ended operations`, () => {
  it(
    'honours every foreign key and every rule of a trigger, and its audit log is unbroken',
    async () => {
      expect(await findViolations(sql)).toEqual([]);
      expect(await store.adminAudit.verify()).toMatchObject({ head: { sequence: ENDED / 20 }, broken: null });
    },
    FILL_TIMEOUT_MS,
  );

  it.each(TURNS.filter(({ stage }) => !UNBOUNDED.has(stage)))('$stage reads no large table in full', async (turn) => {
    const plans = await explainTurn(turn, store, sql);
    expect(plans.length).toBeGreaterThan(0);
    for (const { text, sequential } of plans)
      expect({ text, sequential: sequential.filter((table) => LARGE.has(table)) }).toEqual({ text, sequential: [] });
    expect(plans.reduce((sum, { blocks }) => sum + blocks, 0)).toBeLessThan(MOST_BLOCKS);
  });

  it(
    'a page of the list costs the same at any depth, for each combination of filters',
    async () => {
      const middle = new Date(NOW.getTime() - 3_600_000 - ENDED * 100);
      const far = { way: 'older', key: { at: middle, id: `0x${'f'.repeat(64)}` } } as const;
      for (const filters of listFilters())
        for (const start of [null, far]) {
          const run = async ({ listing }: Store) => listing.page({ ...ANY, ...filters }, { limit: 50, start });
          const [plan] = await explainTurn({ stage: 'list', run: (of) => run(of as Store) }, store, sql);
          expect({ filters, sequential: plan!.sequential }).toEqual({ filters, sequential: [] });
          expect({ filters, start, blocks: plan!.blocks < MOST_BLOCKS_OF_PAGE || plan!.blocks }).toMatchObject({
            blocks: true,
          });
        }
    },
    FILL_TIMEOUT_MS,
  );

  it('a sender with thousands of expired intents of one amount does not slow down a run of bind', async () => {
    const bind = TURNS.find(({ stage }) => stage === 'bind')!;
    const before = await explainTurn(bind, store, sql);
    await manyExpired();
    const after = await explainTurn(bind, store, sql);
    const blocks = (plans: typeof before) => plans.reduce((sum, plan) => sum + plan.blocks, 0);
    expect(blocks(after)).toBeLessThan(blocks(before) + 200);
  });
});

/** One paid intent of a sender whose 5,000 former intents of the same amount have expired. */
async function manyExpired(): Promise<void> {
  const sender = `0x${'e'.repeat(40)}`;
  const id = (n: string) => `'0x' || md5('attack' || ${n}) || md5('attack+' || ${n})`;
  const isOpen = 'n = 5001';
  const createdAt = `timestamptz '2026-11-22T11:50:00Z' - (5001 - n) * interval '40 seconds'`;
  await pool.query(`
    INSERT INTO operation (id, kind, direction, asset, status, amount, fee, fee_bps, output_amount, sender, recipient,
      origin_chain_id, destination_chain_id, required_confirmations, expired_at, created_at)
    SELECT ${id('n')}, 'INTENT', 'PARTNER_TO_ETHEREUM', 'XCN', (CASE WHEN ${isOpen} THEN 'PENDING_ORIGIN_TX' ELSE 'EXPIRED' END)::"OperationStatus",
      777, 10, 25, 767, '${sender}', '${sender}', 8901, 31337, 6, CASE WHEN ${isOpen} THEN NULL ELSE now() END, ${createdAt}
    FROM generate_series(1, 5001) n`);
  await pool.query(`
    INSERT INTO intent (id, sender, nonce, nonce_hash, idempotency_key, deadline_seconds, signature, expires_at, created_at, accepted_at_block, judged_at_block)
    SELECT ${id('n')}, '${sender}', n, ${id('n')}, n, 2000000000, '0x01', ${createdAt} + interval '30 minutes', ${createdAt}, 0, 0
    FROM generate_series(1, 5001) n`);
  await pool.query(`
    INSERT INTO inbound_transfer (chain_id, tx_hash, asset, call_index, payer, wallet, amount, block_number, block_hash, mined_at)
    SELECT 8901, ${id("'transfer'")}, 'XCN', 0, '${sender}', '${sender}', 777, 1, ${id("'block'")}, '2026-11-22T11:55:00Z'`);
  await pool.query('ANALYZE');
}
