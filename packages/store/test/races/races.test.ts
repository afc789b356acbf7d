import { describe, expect, it } from '@jest/globals';
import type { OperationTerms, ScannedBlock, TransferKey } from '../../src/index.js';
import { ETHEREUM, PARTNER } from '@causeway/test-kit';
import { hold, untilBlocked, untilEndedOrBlocked } from '../interleave.js';
import { useStore } from '../temporary-store.js';
import { aDelivery, aDeposit, anIntent, anOrder, aTransfer, opening, paying } from '../../src/test/rows.js';

const t = useStore();

/** Default end of the payment windows. */
const WINDOW_END = new Date(1_900_000_000_000);
const PAST_WINDOW = { timestamp: new Date(WINDOW_END.getTime() + 1) };

/** A pending intent. */
async function anOpenIntent(over: Partial<OperationTerms> = {}): Promise<OperationTerms> {
  const terms = anIntent(over);
  await t.store.intents.register(terms, anOrder(terms, { expiresAt: WINDOW_END }));
  return terms;
}

/** A block with a transfer that pays an intent. */
async function pay({ sender, amount }: OperationTerms): Promise<{ key: TransferKey; block: ScannedBlock }> {
  const transfer = aTransfer({ payer: sender, amount });
  const block = await t.mine(PARTNER, { transfers: [transfer] });
  return { key: { chainId: PARTNER, txHash: transfer.txHash, asset: 'XCN' as const, callIndex: 0 }, block };
}

async function paidIntent(): Promise<{ terms: OperationTerms; key: TransferKey; block: ScannedBlock }> {
  const terms = await anOpenIntent();
  return { terms, ...(await pay(terms)) };
}

describe('a reorg while an origin becomes final', () => {
  it('deletes a deposit or finds it final, never both', async () => {
    const deposit = aDeposit();
    const block = await t.mine(ETHEREUM, { events: [opening(deposit)] });
    const parties = 'SELECT 1 FROM party_counter WHERE address = $1 FOR UPDATE';
    const counter = await hold(t.sql, parties, [deposit.sender]);
    const rolledBack = t.store.scan.rollBack(t.fence, ETHEREUM, block.number - 1n);
    await untilBlocked(t.sql, 1);
    const finalized = t.finalize(deposit, block);
    await untilEndedOrBlocked(t.sql, finalized, 1);
    await counter.release();
    const [undone, final] = await Promise.allSettled([rolledBack, finalized]);
    expect(final).toEqual({ status: 'fulfilled', value: undone.status === 'rejected' });
    expect((await t.store.operations.findById(deposit.id))?.status).toBe(
      undone.status === 'rejected' ? 'AWAITING_RELAY' : undefined,
    );
  });

  it('never leaves an intent final without its transfer', async () => {
    const { terms, key, block } = await paidIntent();
    await t.store.intents.bind(t.fence, key, terms.id);
    const transfer = await hold(t.sql, 'SELECT 1 FROM inbound_transfer WHERE tx_hash = $1 FOR UPDATE', [key.txHash]);
    const rolledBack = t.store.scan.rollBack(t.fence, PARTNER, block.number - 1n);
    await untilBlocked(t.sql, 1);
    const finalized = t.finalize(terms, block);
    await untilEndedOrBlocked(t.sql, finalized, 1);
    await transfer.release();
    const [undone] = await Promise.allSettled([rolledBack, finalized]);
    const { status, origin } = await t.operation(terms);
    expect({ status, txHash: origin?.txHash }).toEqual(
      undone.status === 'fulfilled'
        ? { status: 'PENDING_ORIGIN_TX', txHash: undefined }
        : { status: 'AWAITING_RELAY', txHash: key.txHash },
    );
  });

  it('is not final in a block that the reorg has replaced', async () => {
    const deposit = aDeposit();
    const replaced = await t.mine(ETHEREUM, { events: [opening(deposit)] });
    await t.store.scan.rollBack(t.fence, ETHEREUM, replaced.number - 1n);
    const origin = await t.mine(ETHEREUM, { events: [opening(deposit)] });
    expect(await t.finalize(deposit, replaced)).toBe(false);
    expect(await t.finalize(deposit, origin)).toBe(true);
  });
});

describe('a reorg while a transfer is bound', () => {
  it('unbinds the transfer or precedes the binding, so an intent never keeps a removed transfer', async () => {
    const { terms, key, block } = await paidIntent();
    const row = await hold(t.sql, 'SELECT 1 FROM operation WHERE id = $1 FOR UPDATE', [terms.id]);
    const bound = t.store.intents.bind(t.fence, key, terms.id);
    await untilBlocked(t.sql, 1);
    const rolledBack = t.store.scan.rollBack(t.fence, PARTNER, block.number - 1n);
    await untilEndedOrBlocked(t.sql, rolledBack, 1);
    await row.release();
    await Promise.all([bound, rolledBack]);
    expect(await t.store.intents.findTransfers(key.chainId, key.txHash)).toEqual([]);
    expect(await t.operation(terms)).toMatchObject({ status: 'PENDING_ORIGIN_TX', origin: null });
  });
});

describe('a reorg while a delivery is settled', () => {
  /** A final deposit, and the partner chain's block with its delivery. */
  async function delivered(): Promise<{ terms: OperationTerms; block: ScannedBlock }> {
    const terms = aDeposit();
    await t.finalize(terms, await t.mine(ETHEREUM, { events: [opening(terms)] }));
    return { terms, block: await t.mine(PARTNER, { events: [paying(terms)] }) };
  }
  const settle = async (block: ScannedBlock) =>
    (await t.store.operations.settleAll(t.fence, [aDelivery(PARTNER, block)])).size === 1;

  it('prevents completion by the removed event when it comes first', async () => {
    const { terms, block } = await delivered();
    await t.store.scan.rollBack(t.fence, PARTNER, block.number - 1n);
    expect(await settle(block)).toBe(false);
    expect((await t.operation(terms)).status).toBe('AWAITING_RELAY');
    const again = await t.mine(PARTNER, { events: [{ ...block.events[0]! }] });
    expect(await settle(block)).toBe(false);
    expect(await settle(again)).toBe(true);
  });

  it('is refused when it comes second, because a completed operation never changes', async () => {
    const { terms, block } = await delivered();
    await t.mine(PARTNER);
    expect(await settle(block)).toBe(true);
    await t.store.scan.rollBack(t.fence, PARTNER, block.number);
    await expect(t.store.scan.rollBack(t.fence, PARTNER, block.number - 1n)).rejects.toThrow(
      expect.objectContaining({ name: 'FinalityBrokenError', operationIds: [terms.id] }),
    );
    expect((await t.store.scan.cursor(PARTNER))?.nextBlock).toBe(block.number + 1n);
  });

  it('waits for the settlement, and is then refused', async () => {
    const { terms, block } = await delivered();
    const row = await hold(t.sql, 'SELECT 1 FROM operation WHERE id = $1 FOR UPDATE', [terms.id]);
    const settled = settle(block);
    await untilBlocked(t.sql, 1);
    const rolledBack = t.store.scan.rollBack(t.fence, PARTNER, block.number - 1n);
    await untilEndedOrBlocked(t.sql, rolledBack, 1);
    await row.release();
    const [, undone] = await Promise.allSettled([settled, rolledBack]);
    expect((await t.operation(terms)).status).toBe('COMPLETED');
    expect(undone.status).toBe('rejected');
  });
});

describe('an intent whose window closes', () => {
  const status = async (terms: OperationTerms) => (await t.operation(terms)).status;

  it('waits for the binding of a timely transfer that is being read', async () => {
    const terms = await anOpenIntent();
    expect(await t.store.intents.findUnbound(PARTNER)).toEqual([]);
    // Both are read after the search for bindings and before the search for closed windows.
    const { key } = await pay(terms);
    expect(await t.expire(await t.mine(PARTNER, PAST_WINDOW))).not.toContain(terms.id);
    expect(await t.store.intents.bind(t.fence, key, terms.id)).toBe(true);
  });

  it('stays open when a reorg removed the block, because another block may have its transfer', async () => {
    const { terms, key, block } = await paidIntent();
    await t.store.intents.bind(t.fence, key, terms.id);
    const newest = await t.mine(PARTNER, PAST_WINDOW);
    await t.store.scan.rollBack(t.fence, PARTNER, block.number - 1n);
    expect(await t.expire(newest)).toEqual([]);
    expect(await status(terms)).toBe('PENDING_ORIGIN_TX');
  });

  it('is bound or expires when both run concurrently, never both', async () => {
    const { terms, key } = await paidIntent();
    const newest = await t.mine(PARTNER, PAST_WINDOW);
    const row = await hold(t.sql, 'SELECT 1 FROM operation WHERE id = $1 FOR UPDATE', [terms.id]);
    const expired = t.expire(newest);
    await untilBlocked(t.sql, 1);
    const bound = t.store.intents.bind(t.fence, key, terms.id);
    await untilBlocked(t.sql, 2);
    await row.release();
    expect(await bound).toBe(true);
    expect(await expired).not.toContain(terms.id);
  });

  it('does not expire while a transfer can pay it, whatever its client proposes concurrently', async () => {
    for (const proposedFirst of [true, false]) {
      const terms = await anOpenIntent();
      const { key } = await pay(terms);
      const newest = await t.mine(PARTNER, PAST_WINDOW);
      const steps = [() => t.store.intents.proposeOrigin(terms.id, key.txHash), () => t.expire(newest)];
      const row = await hold(t.sql, 'SELECT 1 FROM operation WHERE id = $1 FOR UPDATE', [terms.id]);
      const first = steps[proposedFirst ? 0 : 1]!();
      await untilBlocked(t.sql, 1);
      const second = steps[proposedFirst ? 1 : 0]!();
      await untilBlocked(t.sql, 2);
      await row.release();
      await Promise.all([first, second]);
      expect(await status(terms)).toBe('PENDING_ORIGIN_TX');
      expect(await t.store.intents.bind(t.fence, key, terms.id)).toBe(true);
      await t.store.scan.rollBack(t.fence, PARTNER, newest.number - 1n);
    }
  });
});
