import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { anAddress, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { StaleCursorError, type ScannedBlock } from '../src/index.js';
import { temporaryStore, type TemporaryStore } from './temporary-store.js';
import { aBlock, aBurn, aDeposit, aTransfer, opening, paying } from '../src/test/rows.js';

let t: TemporaryStore;
let next: bigint;

beforeAll(async () => {
  t = await temporaryStore();
});
afterAll(async () => t.close());
beforeEach(async () => {
  next = (await t.store.scan.cursor(ETHEREUM))?.nextBlock ?? 0n;
});

const extend = (blocks: ScannedBlock[], from: bigint, head = from) =>
  t.store.scan.extend(t.fence, ETHEREUM, blocks, head, from);

describe('a range with only some blocks stored', () => {
  it('moves the cursor past its last block, and can be read by its blocks', async () => {
    const deposit = aDeposit();
    const [hit, end] = [aBlock(next + 40n, { events: [opening(deposit)] }), aBlock(next + 99n)];
    await extend([hit, end], next, next + 500n);
    expect(await t.store.scan.cursor(ETHEREUM)).toEqual({ nextBlock: next + 100n, headBlock: next + 500n });
    expect(await t.store.scan.block(ETHEREUM, next + 41n)).toBeNull();
    expect(await t.store.scan.latestBlock(ETHEREUM)).toMatchObject({ number: end.number, hash: end.hash });
    expect(await t.store.scan.blockBelow(ETHEREUM, end.number)).toMatchObject({ number: hit.number, hash: hit.hash });
    expect(await t.store.operations.findById(deposit.id)).toMatchObject({ origin: { blockNumber: hit.number } });
  });

  it('is refused when it does not begin at the cursor, which would skip a block', async () => {
    for (const from of [next - 1n, next + 1n]) {
      await expect(extend([aBlock(next + 50n)], from)).rejects.toThrow(StaleCursorError);
    }
    expect((await t.store.scan.cursor(ETHEREUM))?.nextBlock).toBe(next);
  });

  it('is rolled back to a stored block', async () => {
    const gone = aDeposit();
    await extend([aBlock(next + 9n)], next);
    await extend([aBlock(next + 20n, { events: [opening(gone)] }), aBlock(next + 99n)], next + 10n);
    await t.store.scan.rollBack(t.fence, ETHEREUM, next + 9n);
    expect((await t.store.scan.cursor(ETHEREUM))?.nextBlock).toBe(next + 10n);
    expect(await t.store.operations.findById(gone.id)).toBeNull();
  });
});

describe('many events', () => {
  it('12,000 deposits in 200 blocks are stored, in order in the histories of their parties', async () => {
    const sender = anAddress();
    const deposits = Array.from({ length: 12_000 }, (_, index) =>
      aDeposit({ sender, recipient: index % 100 === 0 ? sender : anAddress(), originNonce: BigInt(index) }),
    );
    const blocks = Array.from({ length: 200 }, (_, index) =>
      aBlock(next + BigInt(index), {
        events: deposits.slice(index * 60, index * 60 + 60).map((deposit, logIndex) => opening(deposit, logIndex)),
      }),
    );
    for (let index = 0; index < 200; index += 8) {
      await extend(blocks.slice(index, index + 8), next + BigInt(index));
    }
    expect((await t.store.scan.cursor(ETHEREUM))?.nextBlock).toBe(next + 200n);
    const page = await t.store.history.page({ address: sender, direction: null, limit: 100, offset: 11_950 });
    expect(page.operations.map(({ id }) => id)).toEqual(
      deposits
        .slice(0, 50)
        .toReversed()
        .map(({ id }) => id),
    );
    expect(page.hasMore).toBe(false);
    const { rows } = await t.sql.query('SELECT total, deposits, withdrawals FROM party_counter WHERE address = $1', [
      sender,
    ]);
    expect(rows).toEqual([{ total: '12000', deposits: '12000', withdrawals: '0' }]);
  });

  it('keep their arguments unchanged, whatever characters these have', async () => {
    const args = { note: 'a "b", {c} \\n \\ NULL', amount: '1' };
    const event = { ...opening(aDeposit()), args };
    await extend([aBlock(next, { events: [event] })], next);
    const { rows } = await t.sql.query('SELECT args FROM chain_event WHERE tx_hash = $1', [event.txHash]);
    expect(rows).toEqual([{ args }]);
  });

  it('1,400 dust transfers in a block are stored in far less than a block time', async () => {
    const transfers = Array.from({ length: 1_400 }, () => aTransfer({ amount: 1n }));
    const startedAt = performance.now();
    await t.mine(PARTNER, { transfers });
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    const { rows } = await t.sql.query('SELECT count(*)::int AS stored FROM inbound_transfer');
    expect(rows).toEqual([{ stored: 1_400 }]);
  });

  it('of both directions and several parties number each history without gaps', async () => {
    const [a, b] = [anAddress(), anAddress()];
    const pairs = [
      [a, b],
      [b, a],
      [a, a],
      [b, b],
      [a, b],
    ] as const;
    const deposits = pairs.map(([sender, recipient]) => aDeposit({ sender, recipient }));
    const burns = pairs.map(([sender, recipient]) => aBurn({ sender, recipient }));
    await extend([aBlock(next, { events: deposits.map((deposit, index) => opening(deposit, index)) })], next);
    await t.mine(PARTNER, { events: burns.map((burn, index) => opening(burn, index)) });
    for (const address of [a, b]) {
      const { rows } = await t.sql.query<{ sequence: string; direction_sequence: string }>(
        'SELECT sequence, direction_sequence FROM operation_party WHERE address = $1 ORDER BY sequence',
        [address],
      );
      expect(rows.map(({ sequence }) => sequence)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
      expect(rows.map((row) => row.direction_sequence)).toEqual(['1', '2', '3', '4', '1', '2', '3', '4']);
    }
  });
});

describe('nextOriginNumber', () => {
  it('follows the last stored numbered event, whatever came after it', async () => {
    const store = await temporaryStore();
    try {
      const number = () => store.store.scan.nextOriginNumber(ETHEREUM);
      const numbered = (nonce: number) => ({ ...opening(aDeposit()), args: { nonce: `${nonce}` } });
      expect(await number()).toBe(0n);
      await store.mine(ETHEREUM, { events: [numbered(0), { ...numbered(1), logIndex: 1 }] });
      const last = await store.mine(ETHEREUM, { events: [paying(aBurn())] });
      expect(await number()).toBe(2n);
      await store.store.scan.rollBack(store.fence, ETHEREUM, last.number - 2n);
      expect(await number()).toBe(0n);
    } finally {
      await store.close();
    }
  });
});

describe('progress', () => {
  const progress = async () => (await t.store.scan.progress(ETHEREUM))!;
  const age = (ms: number) =>
    t.sql.query(`UPDATE chain_cursor SET read_at = now() - $1 * interval '1 millisecond'`, [ms]);

  it('is null for a chain that was never read', async () => {
    expect(await t.store.scan.progress(4_711)).toBeNull();
  });

  it('counts the unread blocks up to the head', async () => {
    await extend([aBlock(next)], next, next + 30n);
    expect(await progress()).toMatchObject({ nextBlock: next + 1n, headBlock: next + 30n, blocksBehind: 30 });
    await extend([aBlock(next + 1n)], next + 1n, next + 1n);
    expect(await progress()).toMatchObject({ blocksBehind: 0 });
  });

  it("shows how far the newest block is ahead of the database's clock", async () => {
    await extend([aBlock(next, { timestamp: new Date(Date.now() + 90_000) })], next);
    expect(Math.abs((await progress()).aheadMs - 90_000)).toBeLessThan(20_000);
    await extend([aBlock(next + 1n, { timestamp: new Date(Date.now() - 90_000) })], next + 1n);
    expect((await progress()).aheadMs).toBe(0);
  });

  it('ages until blocks are stored or the head is confirmed', async () => {
    await age(60_000);
    expect((await progress()).ageMs).toBeGreaterThanOrEqual(60_000);
    await extend([aBlock(next)], next);
    expect((await progress()).ageMs).toBeLessThan(30_000);
    await age(60_000);
    await t.store.scan.confirmHead(t.fence, ETHEREUM, { nextBlock: next + 1n, headBlock: next });
    expect((await progress()).ageMs).toBeLessThan(30_000);
  });

  it('keeps ageing while the chain is halted, or after another process moved the cursor', async () => {
    await age(60_000);
    await t.store.scan.confirmHead(t.fence, ETHEREUM, { nextBlock: next + 1n, headBlock: next });
    await t.store.halts.halt(ETHEREUM, 'a test');
    await t.store.scan.confirmHead(t.fence, ETHEREUM, { nextBlock: next, headBlock: next });
    expect((await progress()).ageMs).toBeGreaterThanOrEqual(60_000);
    for (const halt of await t.store.halts.list()) await t.store.halts.lift(halt);
  });
});
