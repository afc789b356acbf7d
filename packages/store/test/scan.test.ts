import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { FinalityBrokenError, StaleCursorError, type OperationTerms } from '../src/index.js';
import { anAddress, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { temporaryStore, type TemporaryStore } from './temporary-store.js';
import {
  aBlock,
  aBurn,
  aDeposit,
  aNativeWithdrawal,
  anIntent,
  anOrder,
  aTransfer,
  opening,
  paying,
} from '../src/test/rows.js';

let t: TemporaryStore;
let next: bigint;

beforeAll(async () => {
  t = await temporaryStore();
});
afterAll(async () => t.close());
beforeEach(async () => {
  next = (await t.store.scan.cursor(ETHEREUM))?.nextBlock ?? 0n;
});

const readStatus = async ({ id }: OperationTerms) => (await t.store.operations.findById(id))?.status ?? null;

describe('extend', () => {
  it('stores blocks, opens operations and moves the cursor atomically', async () => {
    const [first, second] = [aDeposit(), aDeposit()];
    const block = aBlock(next, { events: [opening(first, 0), opening(second, 1)] });
    await t.store.scan.extend(t.fence, ETHEREUM, [block, aBlock(next + 1n)], next + 9n);
    expect(await t.store.scan.cursor(ETHEREUM)).toEqual({ nextBlock: next + 2n, headBlock: next + 9n });
    const { hash, timestamp } = block;
    expect(await t.store.scan.block(ETHEREUM, next)).toEqual({ number: next, hash, timestamp });
    expect(await t.store.operations.findById(first.id)).toMatchObject({
      ...first,
      status: 'CONFIRMING',
      origin: { txHash: block.events[0]?.txHash, logIndex: 0, blockNumber: next, blockHash: block.hash },
    });
    expect(await readStatus(second)).toBe('CONFIRMING');
  });

  it('refuses blocks that do not follow the cursor, and stores none', async () => {
    const deposit = aDeposit();
    for (const number of [next - 1n, next + 1n]) {
      const block = aBlock(number, { events: [opening(deposit)] });
      await expect(t.store.scan.extend(t.fence, ETHEREUM, [block], number)).rejects.toThrow(StaleCursorError);
    }
    expect(await readStatus(deposit)).toBeNull();
  });

  it('stores nothing when an event was already stored', async () => {
    const event = opening(aDeposit());
    await t.store.scan.extend(t.fence, ETHEREUM, [aBlock(next, { events: [event] })], next);
    const other = aDeposit();
    const block = aBlock(next + 1n, { events: [opening(other), { ...event, opens: aDeposit() }] });
    await expect(t.store.scan.extend(t.fence, ETHEREUM, [block], next + 1n)).rejects.toThrow(/constraint/i);
    expect(await readStatus(other)).toBeNull();
    expect((await t.store.scan.cursor(ETHEREUM))?.nextBlock).toBe(next + 1n);
  });

  it('lets one of two readers at the same height store', async () => {
    const attempts = [1, 2, 3, 4].map(() => t.store.scan.extend(t.fence, ETHEREUM, [aBlock(next)], next));
    const results = await Promise.allSettled(attempts);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await t.store.scan.cursor(ETHEREUM))?.nextBlock).toBe(next + 1n);
  });
});

describe('after a stage was stopped for longer than blocks are kept', () => {
  it('an origin still becomes final and its delivery settles, at the time of its block', async () => {
    const deposit = aDeposit();
    const origin = aBlock(next, { events: [opening(deposit)] });
    const later = Array.from({ length: 4_200 }, (_, index) => aBlock(next + 1n + BigInt(index)));
    await t.store.scan.extend(t.fence, ETHEREUM, [origin], next);
    await t.store.scan.extend(t.fence, ETHEREUM, later, next + 4_200n);
    expect(await t.store.scan.block(ETHEREUM, next + 11n)).toBeNull();
    const seen = { blockHash: origin.hash, confirmations: 4_200, finalizedAt: new Date(), holdUntil: null };
    expect(await t.store.operations.finalizeAll(t.fence, [{ operationId: deposit.id, ...seen }])).toEqual(
      new Set([deposit.id]),
    );

    const number = (await t.store.scan.cursor(PARTNER))?.nextBlock ?? 0n;
    const paid = aBlock(number, { events: [paying(deposit)] });
    const after = Array.from({ length: 4_200 }, (_, index) => aBlock(number + 1n + BigInt(index)));
    await t.store.scan.extend(t.fence, PARTNER, [paid, ...after], number + 4_200n);
    const [delivery] = await t.store.operations.findFinalDeliveries(PARTNER, number + 4_200n, null, 500);
    expect(delivery).toMatchObject({ operationId: deposit.id, settledAt: paid.timestamp });
    expect((await t.store.operations.settleAll(t.fence, [delivery!])).size).toBe(1);
  });
});

describe('rollBack', () => {
  it('deletes only the operations after the ancestor; the same id can begin again', async () => {
    const [kept, gone] = [aDeposit(), aDeposit()];
    await t.store.scan.extend(
      t.fence,
      ETHEREUM,
      [aBlock(next, { events: [opening(kept)] }), aBlock(next + 1n, { events: [opening(gone)] })],
      next + 1n,
    );
    await t.store.scan.rollBack(t.fence, ETHEREUM, next);
    expect(await readStatus(kept)).toBe('CONFIRMING');
    expect(await readStatus(gone)).toBeNull();
    expect(await t.store.scan.block(ETHEREUM, next + 1n)).toBeNull();
    const again = { ...gone, amount: 7n, outputAmount: 7n };
    await t.store.scan.extend(t.fence, ETHEREUM, [aBlock(next + 1n, { events: [opening(again)] })], next + 1n);
    expect((await t.store.operations.findById(gone.id))?.amount).toBe(7n);
  });

  it('closes the gap in the histories of both parties', async () => {
    const [sender, recipient] = [anAddress(), anAddress()];
    const deposits = Array.from({ length: 4 }, () => aDeposit({ sender, recipient }));
    const blocks = deposits.map((deposit, index) => aBlock(next + BigInt(index), { events: [opening(deposit)] }));
    await t.store.scan.extend(t.fence, ETHEREUM, blocks, next + 3n);
    await t.store.scan.rollBack(t.fence, ETHEREUM, next + 1n);
    const last = aDeposit({ sender, recipient: sender });
    await t.store.scan.extend(t.fence, ETHEREUM, [aBlock(next + 2n, { events: [opening(last)] })], next + 2n);
    const page = await t.store.history.page({ address: sender, direction: null, limit: 10, offset: 0 });
    expect(page.operations.map(({ id }) => id)).toEqual([last.id, deposits[1]?.id, deposits[0]?.id]);
    const { rows } = await t.sql.query<{ sequence: string }>(
      'SELECT sequence FROM operation_party WHERE address = $1 ORDER BY 1',
      [recipient],
    );
    expect(rows.map(({ sequence }) => sequence)).toEqual(['1', '2']);
  });

  it('refuses to roll back a final block, and changes nothing', async () => {
    const [young, final] = [aDeposit(), aDeposit()];
    const block = aBlock(next, { events: [opening(final)] });
    await t.store.scan.extend(t.fence, ETHEREUM, [block, aBlock(next + 1n, { events: [opening(young)] })], next + 1n);
    const seen = { blockHash: block.hash, confirmations: 12, finalizedAt: block.timestamp, holdUntil: null };
    expect(await t.store.operations.finalizeAll(t.fence, [{ operationId: final.id, ...seen }])).toEqual(
      new Set([final.id]),
    );
    await expect(t.store.scan.rollBack(t.fence, ETHEREUM, next - 1n)).rejects.toThrow(FinalityBrokenError);
    expect(await readStatus(young)).toBe('CONFIRMING');
    expect(await readStatus(final)).toBe('AWAITING_RELAY');
    expect((await t.store.scan.cursor(ETHEREUM))?.nextBlock).toBe(next + 2n);
  });

  it('makes an intent pending again when a reorg removed its transfer', async () => {
    const terms = anIntent();
    const [from, minedAt] = [(await t.store.scan.cursor(PARTNER))?.nextBlock ?? 0n, new Date(1_800_000_000_000)];
    await t.store.intents.register(terms, anOrder(terms, { expiresAt: new Date(minedAt.getTime() + 100_000_000) }));
    const transfer = aTransfer({ payer: terms.sender, amount: terms.amount });
    await t.store.scan.extend(t.fence, PARTNER, [aBlock(from, { transfers: [transfer] })], from);
    expect(await t.store.intents.bind(t.fence, { chainId: PARTNER, ...transfer }, terms.id)).toBe(true);
    expect(await readStatus(terms)).toBe('CONFIRMING');
    await t.store.scan.rollBack(t.fence, PARTNER, from - 1n);
    expect(await readStatus(terms)).toBe('PENDING_ORIGIN_TX');
    expect(await t.store.intents.findTransfers(PARTNER, transfer.txHash)).toEqual([]);
    await t.store.scan.extend(t.fence, PARTNER, [aBlock(from, { transfers: [transfer] })], from);
    expect(await t.store.intents.bind(t.fence, { chainId: PARTNER, ...transfer }, terms.id)).toBe(true);
  });

  it('keeps the block at which an intent was judged: no transfer up to it pays, in any order of reading', async () => {
    const from = (await t.store.scan.cursor(PARTNER))!.nextBlock;
    const terms = anIntent();
    const [inJudged, above] = [1, 2].map(() => aTransfer({ payer: terms.sender, amount: terms.amount }));
    const read = async (first: bigint, ...transfers: ReturnType<typeof aTransfer>[][]) => {
      const blocks = transfers.map((each, index) => aBlock(first + BigInt(index), { transfers: each }));
      await t.store.scan.extend(t.fence, PARTNER, blocks, blocks.at(-1)!.number);
    };
    const bind = async ({ txHash, asset, callIndex }: ReturnType<typeof aTransfer>) =>
      t.store.intents.bind(t.fence, { chainId: PARTNER, txHash, asset, callIndex }, terms.id);
    await read(from, [], [], [inJudged!]);
    await t.store.intents.register(terms, anOrder(terms, { judgedAtBlock: from + 1n }));
    // It was read before the intent was accepted.
    expect(await bind(inJudged!)).toBe(false);
    await t.store.scan.rollBack(t.fence, PARTNER, from);
    await read(from + 1n, [inJudged!], [above!]);
    expect((await t.store.intents.find(terms.id))?.judgedAtBlock).toBe(from + 1n);
    expect(await bind(inJudged!)).toBe(false);
    expect(await t.store.intents.findUnbound(PARTNER)).toMatchObject([{ key: { txHash: above!.txHash } }]);
    expect(await bind(above!)).toBe(true);
    const change = t.sql.query('UPDATE intent SET judged_at_block = 0 WHERE id = $1', [terms.id]);
    await expect(change).rejects.toThrow(/cannot change/);
  });
});

describe('the invariants of the database', () => {
  it('refuse any change of a terminal operation, and its deletion', async () => {
    const terms = anIntent();
    await t.store.intents.register(terms, anOrder(terms, { expiresAt: new Date(0) }));
    await t.expire((await t.store.scan.latestBlock(PARTNER))!);
    expect(await readStatus(terms)).toBe('EXPIRED');
    const change = (sql: string) => t.sql.query(`${sql} WHERE id = $1`, [terms.id]);
    await expect(change(`UPDATE operation SET status = 'PENDING_ORIGIN_TX', expired_at = NULL`)).rejects.toThrow(
      /is EXPIRED, a terminal status/,
    );
    await expect(change('UPDATE operation SET attempts = 1')).rejects.toThrow(/a terminal status/);
    await expect(change('DELETE FROM operation')).rejects.toThrow(/a terminal status|foreign key/);
  });

  it('refuse a change of the terms', async () => {
    const burn = aBurn();
    const from = (await t.store.scan.cursor(PARTNER))?.nextBlock ?? 0n;
    await t.store.scan.extend(t.fence, PARTNER, [aBlock(from, { events: [opening(burn)] })], from);
    for (const change of ['fee = 0, output_amount = amount', `recipient = '${anAddress()}'`, `asset = 'ETH'`]) {
      await expect(t.sql.query(`UPDATE operation SET ${change} WHERE id = $1`, [burn.id])).rejects.toThrow(
        /terms of operation/,
      );
    }
  });

  it('accept a withdrawal of native XCN, which has a number', async () => {
    const terms = aNativeWithdrawal();
    await t.mine(PARTNER, { events: [opening(terms)] });
    expect(await t.operation(terms)).toMatchObject({ kind: 'NATIVE_WITHDRAWAL', asset: 'XCN', status: 'CONFIRMING' });
  });

  it.each<[string, Partial<OperationTerms>]>([
    ['an output amount that does not add up', { outputAmount: 999n }],
    ['an output amount of 0', { fee: 1_000n, outputAmount: 0n }],
    ['a fee on a deposit', { fee: 10n, outputAmount: 990n }],
    ['a sender that is not an address', { sender: '0xabc' }],
    ['an id that is not a hash', { id: '0xabc' }],
    ['a deposit without a number', { originNonce: null }],
    [
      'an intent in another asset',
      { kind: 'INTENT', direction: 'PARTNER_TO_ETHEREUM', originNonce: null, asset: 'ETH' },
    ],
    ['a burn of XCN', { kind: 'BURN', direction: 'PARTNER_TO_ETHEREUM', asset: 'XCN' }],
    [
      'a native withdrawal in another asset',
      { kind: 'NATIVE_WITHDRAWAL', direction: 'PARTNER_TO_ETHEREUM', asset: 'USDC' },
    ],
    [
      'a native withdrawal without a number',
      { kind: 'NATIVE_WITHDRAWAL', direction: 'PARTNER_TO_ETHEREUM', originNonce: null, asset: 'XCN' },
    ],
  ])('refuses %s', async (_, wrong) => {
    const block = aBlock(next, { events: [opening(aDeposit(wrong))] });
    await expect(t.store.scan.extend(t.fence, ETHEREUM, [block], next)).rejects.toThrow(
      /violates check constraint|check constraint/i,
    );
  });
});
