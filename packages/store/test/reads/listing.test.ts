import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DELAY_REASONS, formatAmount, OPERATION_STATUSES } from '@causeway/protocol';
import type { Hex } from 'viem';
import { BUSY, fillStore } from '../../bench/large-store.js';
import type { OperationFilters, Page, PageStart } from '../../src/index.js';
import { temporaryStore, type TemporaryStore } from '../temporary-store.js';

const ALL: OperationFilters = {
  status: null,
  delay: null,
  asset: null,
  direction: null,
  kind: null,
  from: null,
  until: null,
};
const KINDS = ['DEPOSIT', 'BURN', 'NATIVE_WITHDRAWAL', 'INTENT', 'TRANSFER'] as const;

let t: TemporaryStore;
beforeAll(async () => {
  t = await temporaryStore();
  await t.sql.query('DELETE FROM chain_cursor');
  await fillStore(t.sql, { ended: 300, pending: 6 });
  // Transfers that pay no intent, of every asset and direction, and a delay for each reason.
  await t.sql.query(`
    INSERT INTO operation (id, kind, direction, asset, status, amount, fee, fee_bps, output_amount, sender, recipient,
      origin_chain_id, destination_chain_id, required_confirmations, finalized_at, failure_reason, refund_id, created_at)
    SELECT '0x' || lpad(to_hex(n), 64, '0'), 'TRANSFER', d::"Direction", a::"Asset", 'FAILED', 5, 0, 0, 0, '${BUSY}', '${BUSY}',
      1, 2, 1, now(), 'TRANSFER_UNMATCHED', '0x' || lpad(to_hex(n), 64, '0'), timestamptz '2026-11-22T10:30:00Z' + n * interval '1 minute'
    FROM generate_series(1, 3) n, (VALUES ('ETHEREUM_TO_PARTNER'), ('PARTNER_TO_ETHEREUM')) d (d),
      (VALUES ('ETH'), ('USDC'), ('XCN')) a (a) WHERE n % 3 = 0 OR (d LIKE 'ETH%') = (a = 'ETH') ON CONFLICT DO NOTHING`);
  await t.sql.query(`
    UPDATE operation SET delayed_reason = (enum_range(NULL::"DelayReason"))[1 + origin_nonce::int % 13] WHERE status = 'DELAYED'`);
});
afterAll(async () => t.close());

/** The ids found by a plain query, newest first. */
async function expected(filters: OperationFilters): Promise<Hex[]> {
  const { status, delay, asset, direction, kind, from, until } = filters;
  const { rows } = await t.sql.query<{ id: Hex }>(
    `SELECT id FROM operation WHERE ($1::text IS NULL OR status::text = $1)
       AND ($2::text IS NULL OR (delayed_reason::text = $2 AND status = 'DELAYED')) AND ($3::text IS NULL OR asset::text = $3)
       AND ($4::text IS NULL OR direction::text = $4) AND ($5::text IS NULL OR kind::text = $5)
       AND ($6::timestamptz IS NULL OR created_at >= $6) AND ($7::timestamptz IS NULL OR created_at < $7)
     ORDER BY created_at DESC, id DESC`,
    [status, delay, asset, direction, kind, from, until],
  );
  return rows.map(({ id }) => id);
}

/** The ids of all pages from a start on, in list order. */
async function walk<K>(
  pageAt: (start: PageStart<K> | null) => Promise<Page<{ readonly id: Hex }, K>>,
  start: PageStart<K> | null,
): Promise<{ readonly ids: Hex[]; readonly last: Page<{ readonly id: Hex }, K> }> {
  let page = await pageAt(start);
  const pages = [page];
  const onwards = (of: typeof page) => (start?.way === 'newer' ? of.previous : of.next);
  for (let next = onwards(page); next !== null; next = onwards(page)) {
    page = await pageAt(next);
    pages.push(page);
  }
  const inOrder = start?.way === 'newer' ? pages.toReversed() : pages;
  return { ids: inOrder.flatMap(({ rows }) => rows.map(({ id }) => id)), last: page };
}

const FROM = new Date('2026-11-22T10:59:30Z');
const UNTIL = new Date('2026-11-22T10:59:50Z');
const FILTERS: readonly Partial<OperationFilters>[] = [
  {},
  ...OPERATION_STATUSES.map((status) => ({ status })),
  ...DELAY_REASONS.map((delay) => ({ delay })),
  ...KINDS.flatMap((kind) => [{ kind }, { kind, status: 'COMPLETED' as const }, { kind, asset: 'XCN' as const }]),
  ...(['ETH', 'USDC', 'XCN'] as const).flatMap((asset) => [{ asset }, { asset, status: 'FAILED' as const }]),
  { direction: 'ETHEREUM_TO_PARTNER' },
  { direction: 'PARTNER_TO_ETHEREUM', status: 'FAILED', asset: 'ETH' },
  { delay: 'PAUSED', asset: 'XCN' },
  { delay: 'PAUSED', status: 'DELAYED' },
  { delay: 'PAUSED', status: 'COMPLETED' },
  { from: FROM },
  { until: UNTIL },
  { from: FROM, until: UNTIL, asset: 'USDC' },
];

describe('the list of operations', () => {
  it.each(FILTERS)('has each operation once, in both directions: %j', async (over) => {
    const filters = { ...ALL, ...over };
    const ids = await expected(filters);
    const pageAt = (limit: number) => (start: PageStart<{ at: Date; id: string }> | null) =>
      t.store.listing.page(filters, { limit, start });
    const forth = await walk(pageAt(7), null);
    expect(forth.ids).toEqual(ids);
    if (forth.last.previous === null) return;
    // Backwards from the last page: everything but that page.
    const back = await walk(pageAt(5), forth.last.previous);
    expect(back.ids).toEqual(ids.slice(0, ids.length - forth.last.rows.length));
  });

  it('continues at its position when rows come and go', async () => {
    const filters = { ...ALL, kind: 'TRANSFER' as const };
    const before = await expected(filters);
    const page = await t.store.listing.page(filters, { limit: 2, start: null });
    const added: Hex = `0x${'f'.repeat(64)}`;
    await t.sql.query(`
      INSERT INTO operation SELECT (o).* FROM (SELECT jsonb_populate_record(NULL::operation, to_jsonb(f) ||
        jsonb_build_object('id', '${added}', 'created_at', '2026-11-23T00:00:00Z')) AS o FROM operation f WHERE id = '${before[0]!}') r`);
    const next = await t.store.listing.page(filters, { limit: 2, start: page.next });
    expect(next.rows.map(({ id }) => id)).toEqual(before.slice(2, 4));
    const back = await t.store.listing.page(filters, { limit: 50, start: next.previous });
    expect(back.rows.map(({ id }) => id)).toEqual([added, ...before.slice(0, 2)]);
    expect(back.previous).toBeNull();
  });

  it('finds an operation by every hash that belongs to it', async () => {
    const { rows } = await t.sql.query<{ id: Hex; origin: Hex; delivery: Hex; replaced: Hex }>(
      `SELECT o.id, o.origin_tx_hash AS origin, o.destination_tx_hash AS delivery, s.tx_hash AS replaced
       FROM operation o JOIN call_operation l ON l.operation_id = o.id JOIN signed_transaction s ON s.call_id = l.call_id
       WHERE s.tx_hash <> o.destination_tx_hash AND o.status = 'COMPLETED' LIMIT 1`,
    );
    const [{ id, ...hashes }] = rows as [{ id: Hex; origin: Hex; delivery: Hex; replaced: Hex }];
    for (const hash of [id, ...Object.values(hashes)]) {
      const page = await t.store.listing.ofHash(hash, ALL, { limit: 10, start: null });
      expect(page).toMatchObject({ rows: [{ id }], next: null, previous: null });
      expect(
        (await t.store.listing.ofHash(hash, { ...ALL, status: 'FAILED' }, { limit: 10, start: null })).rows,
      ).toEqual([]);
    }
    const nothing = await t.store.listing.ofHash(`0x${'9'.repeat(64)}`, ALL, { limit: 10, start: null });
    expect(nothing.rows).toEqual([]);
  });

  it.each<Partial<OperationFilters>>([{}, { status: 'EXPIRED' }, { asset: 'ETH' }, { from: FROM, until: UNTIL }])(
    'has the operations of an address, in both directions: %j',
    async (over) => {
      const filters = { ...ALL, ...over };
      const { rows } = await t.sql.query<{ operation_id: Hex }>(
        'SELECT operation_id FROM operation_party WHERE address = $1 ORDER BY sequence DESC',
        [BUSY],
      );
      const matching = new Set(await expected(filters));
      const ids = rows.map(({ operation_id: id }) => id).filter((id) => matching.has(id));
      const pageAt = (start: PageStart<bigint> | null) => t.store.listing.ofAddress(BUSY, filters, { limit: 9, start });
      const forth = await walk(pageAt, null);
      expect(forth.ids).toEqual(ids);
      const back = forth.last.previous === null ? null : await walk(pageAt, forth.last.previous);
      if (back !== null) expect(back.ids).toEqual(ids.slice(0, ids.length - forth.last.rows.length));
    },
  );
});

describe('the export', () => {
  async function lines(over: Partial<OperationFilters>, search: Hex | null = null): Promise<string[]> {
    let text = '';
    for await (const part of t.store.exports.csv({ filters: { ...ALL, ...over }, search })) text += part;
    expect(text.endsWith('\r\n')).toBe(true);
    return text.trimEnd().split('\r\n');
  }

  it.each<Partial<OperationFilters>>([{}, { asset: 'USDC' }, { delay: 'PAUSED' }, { status: 'FAILED', asset: 'XCN' }])(
    'has the same operations in the same order: %j',
    async (over) => {
      const [header, ...rows] = await lines(over);
      expect(header).toMatch(/^id,kind,asset,/);
      expect(rows.map((row) => row.split(',')[0])).toEqual(await expected({ ...ALL, ...over }));
    },
  );

  it('has no cell that a spreadsheet treats as a formula', async () => {
    const [header, ...rows] = await lines({});
    const names = header!.split(',');
    for (const row of rows) {
      const cells = row.split(',');
      expect(cells).toHaveLength(names.length);
      for (const cell of cells) expect(cell).toMatch(/^([0-9A-Z][0-9A-Za-z_.: -]*)?$/);
    }
  });

  it('shows amounts and times as the API does', async () => {
    const { rows } = await t.sql.query<{ id: Hex }>(
      `SELECT id FROM operation WHERE asset = 'USDC' AND status = 'COMPLETED' LIMIT 1`,
    );
    const operation = (await t.store.operations.findById(rows[0]!.id))!;
    const [header, row] = await lines({}, operation.id);
    const cells = Object.fromEntries(header!.split(',').map((name, index) => [name, row!.split(',')[index]]));
    expect(cells).toMatchObject({
      id: operation.id,
      amount: formatAmount('USDC', operation.amount),
      amountAtomic: `${operation.amount}`,
      fee: formatAmount('USDC', operation.fee),
      feeAtomic: `${operation.fee}`,
      outputAmount: formatAmount('USDC', operation.outputAmount),
      outputAmountAtomic: `${operation.outputAmount}`,
      destinationTxHash: operation.destinationTxHash,
      createdAt: operation.createdAt.toISOString(),
      settledAt: operation.settlement!.settledAt.toISOString(),
      updatedAt: operation.updatedAt.toISOString(),
    });
  });

  it('releases its connection when the reader stops early', async () => {
    for (let n = 0; n < 12; n++) for await (const _ of t.store.exports.csv({ filters: ALL, search: null })) break;
    expect((await lines({ status: 'EXPIRED' })).length).toBeGreaterThan(1);
  });
});
