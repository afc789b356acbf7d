import { afterEach, describe, expect, it } from '@jest/globals';
import {
  FinalityBrokenError,
  HaltChangedError,
  StaleCursorError,
  type Halt,
  type OperationTerms,
  type ScannedBlock,
} from '../src/index.js';
import { anAddress, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { hold, untilBlocked } from './interleave.js';
import { wallet, useStore } from './temporary-store.js';
import {
  aBlock,
  aBurn,
  aDelivery,
  aDeposit,
  anIntent,
  anOrder,
  aSignature,
  aTransfer,
  opening,
  paying,
} from '../src/test/rows.js';

const t = useStore();
afterEach(async () => {
  for (const halt of await t.store.halts.list()) await t.store.halts.lift(halt);
});

async function deposited(terms = aDeposit()): Promise<{ terms: OperationTerms; block: ScannedBlock }> {
  return { terms, block: await t.mine(ETHEREUM, { events: [opening(terms)] }) };
}

async function final(): Promise<{ terms: OperationTerms; block: ScannedBlock }> {
  const { terms, block } = await deposited();
  await t.finalize(terms, block);
  return { terms, block };
}

const readHalt = async (chainId: number): Promise<Halt> =>
  (await t.store.halts.list()).find((halt) => halt.chainId === chainId)!;

describe.each([
  ['the origin chain of an operation', ETHEREUM],
  ['its destination chain', PARTNER],
])('while %s is halted', (_, halted) => {
  const halt = () => t.store.halts.halt(halted, 'a test');

  it('an origin does not become final', async () => {
    const { terms, block } = await deposited();
    await halt();
    expect(await t.finalize(terms, block)).toBe(false);
    await t.store.halts.lift(await readHalt(halted));
    expect(await t.finalize(terms, block)).toBe(true);
  });

  it('its hold does not end', async () => {
    const { terms, block } = await final();
    await halt();
    expect(await t.store.operations.releaseHolds(t.fence, [terms.id], block.timestamp)).toEqual(new Set());
  });

  it('nothing is signed for it, and no nonce is used', async () => {
    const terms = await t.due();
    const before = (await t.record(await t.due()))!.nonce;
    await halt();
    expect(await t.record(terms)).toBeNull();
    await t.store.halts.lift(await readHalt(halted));
    expect((await t.record(terms))?.nonce).toBe(before + 1n);
  });

  it('a pending transaction is neither replaced nor concluded', async () => {
    const terms = await t.due();
    const call = (await t.record(terms))!;
    await halt();
    expect(await t.store.journal.replace(t.fence, call, aSignature(call.nonce), false)).toBe(false);
    expect(await t.store.journal.cancel(null, call)).toBe(false);
    expect(await t.store.journal.reopenLost(t.fence, wallet, 0n, 1_000_000n)).toBe(0);
    expect(await t.store.journal.conclude(t.fence, call, { state: 'TAKEN' }, [])).toBe(false);
    expect(await t.readCall(terms)).toEqual(call);
  });

  it('a delivery completes nothing', async () => {
    const terms = await t.due();
    const block = await t.mine(PARTNER, { events: [paying(terms)] });
    await halt();
    expect((await t.store.operations.settleAll(t.fence, [aDelivery(PARTNER, block)])).size).toBe(0);
    await t.store.halts.lift(await readHalt(halted));
    expect((await t.store.operations.settleAll(t.fence, [aDelivery(PARTNER, block)])).size).toBe(1);
  });

  it('an intent is neither bound nor expired', async () => {
    const terms = anIntent();
    const open = aBlock((await t.store.scan.cursor(PARTNER))?.nextBlock ?? 0n);
    await t.store.intents.register(terms, anOrder(terms, { expiresAt: open.timestamp }));
    const transfer = aTransfer({ payer: terms.sender, amount: terms.amount });
    await t.mine(PARTNER, { transfers: [transfer] });
    const newest = await t.mine(PARTNER);
    await halt();
    expect(await t.store.intents.bind(t.fence, { chainId: PARTNER, ...transfer }, terms.id)).toBe(false);
    expect(await t.expire(newest)).not.toContain(terms.id);
    expect((await t.operation(terms)).status).toBe('PENDING_ORIGIN_TX');
  });

  it('no block is stored or rolled back', async () => {
    const { number } = await t.mine(halted);
    await halt();
    await expect(t.mine(halted)).rejects.toThrow(StaleCursorError);
    await expect(t.store.scan.rollBack(t.fence, halted, number - 1n)).rejects.toThrow(StaleCursorError);
  });
});

describe('a halt', () => {
  it('keeps its first reason and time', async () => {
    expect(await t.store.halts.halt(ETHEREUM, 'first')).toBe(true);
    const first = await readHalt(ETHEREUM);
    expect(await t.store.halts.halt(ETHEREUM, 'second')).toBe(false);
    expect(await t.store.halts.list()).toEqual([first]);
    expect(first.reason).toBe('first');
  });

  it('is lifted only when the caller names exactly that halt', async () => {
    await t.store.halts.halt(ETHEREUM, 'first');
    const first = await readHalt(ETHEREUM);
    await t.store.halts.lift(first);
    await new Promise((resolve) => setTimeout(resolve, 2));
    await t.store.halts.halt(ETHEREUM, 'second');
    await expect(t.store.halts.lift(first)).rejects.toThrow(HaltChangedError);
    expect((await readHalt(ETHEREUM)).reason).toBe('second');
  });

  it('waits for a signature in progress; later steps see the halt', async () => {
    const [one, other] = [await t.due(), await t.due()];
    const row = await hold(t.sql, 'SELECT 1 FROM operation WHERE id = $1 FOR UPDATE', [one.id]);
    const signed = t.record(one);
    await untilBlocked(t.sql, 1);
    const halted = t.store.halts.halt(ETHEREUM, 'a test');
    await untilBlocked(t.sql, 2);
    await row.release();
    expect(await signed).not.toBeNull();
    expect(await halted).toBe(true);
    expect(await t.record(other)).toBeNull();
  });
});

describe('an accepted reorg of final blocks', () => {
  /** A final deposit whose block an accepted reorg removed, and a later deposit that was not final. */
  async function lost(prepare: (terms: OperationTerms) => Promise<unknown> = () => Promise.resolve()) {
    const { terms, block } = await final();
    await t.store.operations.releaseHolds(t.fence, [terms.id], block.timestamp);
    await prepare(terms);
    const { terms: young } = await deposited();
    const ancestor = block.number - 1n;
    await expect(t.store.scan.rollBack(t.fence, ETHEREUM, ancestor)).rejects.toThrow(FinalityBrokenError);
    await t.store.halts.halt(ETHEREUM, 'finality broken');
    expect(await t.store.halts.brokenAfter(ETHEREUM, ancestor)).toEqual([terms.id]);
    await t.store.halts.liftAndRollBack(await readHalt(ETHEREUM), ancestor);
    return { terms, young, block };
  }

  it('keeps final operations, deletes the others, and continues from the common block', async () => {
    const { terms, young, block } = await lost();
    expect(await t.store.halts.list()).toEqual([]);
    expect(await t.operation(terms)).toMatchObject({ status: 'AWAITING_RELAY', origin: { blockHash: block.hash } });
    expect(await t.store.operations.findById(young.id)).toBeNull();
    expect((await t.store.scan.cursor(ETHEREUM))?.nextBlock).toBe(block.number);
  });

  it('moves an operation to the new block of the same deposit on the new branch', async () => {
    const { terms } = await lost();
    const { block } = await deposited(terms);
    expect(await t.operation(terms)).toMatchObject({
      status: 'AWAITING_RELAY',
      origin: { blockHash: block.hash, txHash: block.events[0]?.txHash },
    });
    expect(await t.store.halts.brokenAfter(ETHEREUM, block.number)).toEqual([]);
  });

  it('never moves it to a different deposit with its number', async () => {
    const { terms, block } = await lost();
    await deposited({ ...terms, recipient: anAddress() });
    expect(await t.operation(terms)).toMatchObject({ recipient: terms.recipient, origin: { blockHash: block.hash } });
  });

  it('does not change a completed operation', async () => {
    const { terms, block } = await lost(async (paid) => {
      const delivery = await t.mine(PARTNER, { events: [paying(paid)] });
      await t.store.operations.settleAll(t.fence, [aDelivery(PARTNER, delivery)]);
    });
    await deposited(terms);
    expect(await t.operation(terms)).toMatchObject({ status: 'COMPLETED', origin: { blockHash: block.hash } });
  });

  it('rebinds an intent to its transfer when the new branch contains it', async () => {
    const terms = anIntent();
    await t.store.intents.register(terms, anOrder(terms));
    const transfer = aTransfer({ payer: terms.sender, amount: terms.amount });
    const block = await t.mine(PARTNER, { transfers: [transfer] });
    await t.store.intents.bind(t.fence, { chainId: PARTNER, ...transfer }, terms.id);
    const seen = { blockHash: block.hash, confirmations: 6, finalizedAt: block.timestamp, holdUntil: null };
    await t.store.operations.finalizeAll(t.fence, [{ operationId: terms.id, ...seen }]);
    await t.store.halts.halt(PARTNER, 'finality broken');
    await t.store.halts.liftAndRollBack(await readHalt(PARTNER), block.number - 1n);
    const again = await t.mine(PARTNER, { transfers: [transfer] });
    expect(await t.operation(terms)).toMatchObject({ status: 'AWAITING_RELAY', origin: { blockHash: again.hash } });
    expect(await t.store.intents.findTransfers(PARTNER, transfer.txHash)).toMatchObject([{ pays: { id: terms.id } }]);
  });
});

describe('a hold', () => {
  const HOLD_MS = 45_000;
  const fromNow = (ms: number) => new Date(Date.now() + ms);

  /**
   * A burn that the relayer saw as final `seenMs` ago, with a block of this time. Returns a check whether its hold is
   * over.
   */
  async function held(seenMs: number, finalizedAt: Date) {
    const terms = aBurn();
    const { hash: blockHash } = await t.mine(PARTNER, { events: [opening(terms)] });
    // A time that another writer invented before.
    await t.sql.query(`UPDATE operation SET final_since = '2020-01-01' WHERE id = $1`, [terms.id]);
    const finality = { blockHash, confirmations: 6, finalizedAt, holdUntil: new Date(finalizedAt.getTime() + HOLD_MS) };
    await t.store.operations.finalizeAll(t.fence, [{ operationId: terms.id, ...finality }]);
    await t.sql.query(`UPDATE operation SET final_since = final_since - $1 * interval '1 millisecond' WHERE id = $2`, [
      seenMs,
      terms.id,
    ]);
    const isOver = async (chainTime: Date, isLocal = false) =>
      (await t.store.operations.findHoldsOver(PARTNER, chainTime, isLocal)).some(({ id }) => id === terms.id);
    return { terms, isOver };
  }

  it("ends when it has passed by both the chain's and the database's clock", async () => {
    const { isOver } = await held(HOLD_MS, fromNow(-HOLD_MS));
    expect([await isOver(fromNow(-1_000)), await isOver(fromNow(1_000))]).toEqual([false, true]);
    // The chain was ahead, or the relayer down, when the origin became final.
    const { terms, isOver: isOverLater } = await held(0, fromNow(-HOLD_MS));
    expect(await isOverLater(fromNow(59_000))).toBe(false);
    const { holdUntil } = await t.operation(terms);
    expect(Math.abs(holdUntil!.getTime() - fromNow(HOLD_MS).getTime())).toBeLessThan(30_000);
    expect(await isOverLater(fromNow(0), true)).toBe(true);
  });

  it('does not end while the newest block is more than a minute in the future', async () => {
    const { isOver } = await held(HOLD_MS, fromNow(-HOLD_MS));
    expect([await isOver(fromNow(90_000)), await isOver(fromNow(90_000), true)]).toEqual([false, true]);
  });
});
