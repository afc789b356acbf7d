import { describe, expect, it } from '@jest/globals';
import { aBurn, opening } from '@causeway/store/test';
import { aHash } from '@causeway/test-kit';
import type { Hex } from 'viem';
import { BUSY } from '../../../../packages/store/bench/large-store.js';
import { FAILED, list, sql, t, viewer } from './filled-admin.js';

/** Reads the ids of all pages forwards, then backwards from the last one. */
async function walk(query: string): Promise<{ readonly forth: Hex[]; readonly back: Hex[]; readonly last: number }> {
  const listIds = (page: Awaited<ReturnType<typeof list>>) => page.operations.map(({ id }) => id);
  let page = await list(query);
  const forth = listIds(page);
  while (page.nextCursor !== null) {
    page = await list(`${query}&cursor=${page.nextCursor}`);
    forth.push(...listIds(page));
  }
  const last = page.operations.length;
  const back: Hex[] = [];
  while (page.previousCursor !== null) {
    page = await list(`${query}&cursor=${page.previousCursor}`);
    back.unshift(...listIds(page));
  }
  return { forth, back, last };
}

describe('GET /operations', () => {
  it.each([
    ['', 'true'],
    ['status=COMPLETED', `status = 'COMPLETED'`],
    ['delay=PAUSED', `status = 'DELAYED' AND delayed_reason = 'PAUSED'`],
    ['asset=XCN', `asset = 'XCN'`],
    ['direction=ETHEREUM_TO_PARTNER&asset=USDC', `direction = 'ETHEREUM_TO_PARTNER' AND asset = 'USDC'`],
    ['kind=INTENT&status=EXPIRED', `kind = 'INTENT' AND status = 'EXPIRED'`],
    ['asset=XCN&status=FAILED', `asset = 'XCN' AND status = 'FAILED'`],
    ['asset=ETH&status=FAILED', 'false'],
    [
      'from=2026-11-22T10:59:30Z&until=2026-11-22T10:59:50Z',
      `created_at >= '2026-11-22T10:59:30Z' AND created_at < '2026-11-22T10:59:50Z'`,
    ],
  ])('has every operation of a filter once, forwards and backwards: %s', async (query, where) => {
    const { rows } = await sql.query<{ id: Hex }>(
      `SELECT id FROM operation WHERE ${where} ORDER BY created_at DESC, id DESC`,
    );
    const ids = rows.map(({ id }) => id);
    const { forth, back, last } = await walk(`${query}&limit=40`);
    expect(forth).toEqual(ids);
    expect(back).toEqual(ids.slice(0, Math.max(0, ids.length - last)));
  });

  it('neither loses nor repeats operations while they begin and change', async () => {
    const first = await list('kind=BURN&limit=20');
    const moving = first.operations.at(-1)!.id;
    const { rows: before } = await sql.query<{ id: Hex }>(
      `SELECT id FROM operation WHERE kind = 'BURN' ORDER BY created_at DESC, id DESC`,
    );
    const terms = aBurn();
    await sql.query(`UPDATE chain_cursor SET next_block = next_block`);
    await t.scan(terms.originChainId, { events: [opening(terms)], timestamp: new Date(Date.now() + 60_000) });
    await sql.query(
      `UPDATE operation SET origin_confirmations = origin_confirmations WHERE id = $1 AND status = 'CONFIRMING'`,
      [moving],
    );
    const second = await list(`kind=BURN&limit=20&cursor=${first.nextCursor}`);
    expect([...first.operations, ...second.operations].map(({ id }) => id)).toEqual(
      before.slice(0, 40).map(({ id }) => id),
    );
    const back = await list(`kind=BURN&limit=50&cursor=${second.previousCursor}`);
    expect(back.operations.map(({ id }) => id)).toEqual([terms.id, ...first.operations.map(({ id }) => id)]);
    expect(back.previousCursor).toBeNull();
  });

  it('finds by id, by both transactions and by address, in any letter case', async () => {
    const { operations } = await list('status=COMPLETED&limit=1');
    const [{ id, originTxHash, destinationTxHash }] = operations as [(typeof operations)[number]];
    for (const hash of [id, originTxHash!, destinationTxHash!, id.toUpperCase().replace('0X', '0x')])
      expect((await list(`search=${hash}`)).operations).toEqual(operations);
    expect((await list(`search=${aHash()}`)).operations).toEqual([]);
    expect((await list(`search=${FAILED}`)).operations).toMatchObject([
      { id: FAILED, failureReason: 'TRANSFER_UNMATCHED' },
    ]);
    const { rows } = await sql.query<{ id: Hex }>(
      'SELECT operation_id AS id FROM operation_party WHERE address = $1 ORDER BY sequence DESC',
      [BUSY],
    );
    const { forth, back, last } = await walk(`search=${BUSY}&limit=30`);
    expect(forth).toEqual(rows.map(({ id: each }) => each));
    expect(back).toEqual(forth.slice(0, forth.length - last));
    expect((await walk(`search=${BUSY}&limit=30&status=EXPIRED`)).forth.length).toBeLessThan(forth.length);
  });
});

describe('GET /operations.csv', () => {
  it('has the rows of the list, without formula cells', async () => {
    const { status, text, headers } = await viewer.get('/operations.csv?asset=XCN');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(headers['content-disposition']).toContain('attachment');
    const [header, ...rows] = text.trimEnd().split('\r\n');
    expect(header).toMatch(/^id,kind,/);
    expect(rows.map((row) => row.split(',')[0])).toEqual((await walk('asset=XCN&limit=200')).forth);
    for (const cell of rows.flatMap((row) => row.split(','))) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
  });

  it('releases its database connection, even for HEAD', async () => {
    for (let n = 0; n < 15; n += 1) {
      const { status } = await t.send({ method: 'HEAD', url: '/operations.csv', headers: { cookie: viewer.cookie } });
      expect(status).toBe(200);
    }
    expect((await list('limit=1')).operations).toHaveLength(1);
  });
});
