import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { OperationTerms, WaitingWithdrawals, WalletCall } from '../src/index.js';
import { aHash, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { hold, untilBlocked } from './interleave.js';
import { wallet, useStore } from './temporary-store.js';
import { aBurn, aDelivery, aDeposit, anIntent, aNativeWithdrawal, opening, paying } from '../src/test/rows.js';

const t = useStore();
// Every test begins without waiting withdrawals.
beforeEach(async () => {
  for (;;) {
    for (const call of await t.store.journal.pending(wallet)) await t.conclude(call, 'SUCCEEDED');
    const waiting = await t.store.retirements.findWaiting(PARTNER, 'USDC');
    if (waiting === null) return;
    await record(waiting);
  }
});
afterEach(async () => {
  for (const halt of await t.store.halts.list()) await t.store.halts.lift(halt);
});

/** A final burn that is not paid yet. */
async function burnt(over: Partial<OperationTerms> = {}): Promise<OperationTerms> {
  return t.due(aBurn(over));
}

async function completed(over: Partial<OperationTerms> = {}): Promise<OperationTerms> {
  const terms = await burnt(over);
  const block = await t.mine(ETHEREUM, { events: [paying(terms)] });
  expect((await t.store.operations.settleAll(t.fence, [aDelivery(ETHEREUM, block)])).size).toBe(1);
  return terms;
}

const waitingFor = (asset: 'USDC' | 'ETH' = 'USDC') => t.store.retirements.findWaiting(PARTNER, asset);
const record = (waiting: WaitingWithdrawals) => t.send({ purpose: 'RETIREMENT', waiting });

async function started(): Promise<WalletCall> {
  await completed();
  return (await record((await waitingFor())!))!;
}

describe('the withdrawals that wait for a retirement', () => {
  it("are the token's completed burns, with the sum of their amounts", async () => {
    const one = await completed({ amount: 1_000n, fee: 10n, outputAmount: 990n });
    const two = await completed({ amount: 500n, fee: 1n, outputAmount: 499n });
    await burnt();
    await completed({ asset: 'ETH' });
    expect(await waitingFor()).toMatchObject({ operationIds: [one.id, two.id], amount: 1_500n, lastFailedAt: null });
  });

  it('include neither deposits nor withdrawals of native XCN', async () => {
    const deposit = aDeposit();
    const block = await t.mine(ETHEREUM, { events: [opening(deposit)] });
    const seen = { blockHash: block.hash, confirmations: 12, finalizedAt: block.timestamp, holdUntil: null };
    await t.store.operations.finalizeAll(t.fence, [{ operationId: deposit.id, ...seen }]);
    const paid = await t.mine(PARTNER, { events: [paying(deposit)] });
    expect((await t.store.operations.settleAll(t.fence, [aDelivery(PARTNER, paid)])).size).toBe(1);
    expect(await waitingFor()).toBeNull();
    const native = await t.due(aNativeWithdrawal());
    const released = await t.mine(ETHEREUM, { events: [paying(native)] });
    expect((await t.store.operations.settleAll(t.fence, [aDelivery(ETHEREUM, released)])).size).toBe(1);
    expect(await t.store.retirements.findWaiting(PARTNER, 'XCN')).toBeNull();
    for (const { id } of [native, anIntent()]) {
      const join = t.sql.query(`INSERT INTO retired_operation VALUES ($1, 1)`, [id]);
      await expect(join).rejects.toThrow(/cannot join/);
    }
  });

  it.each([
    ['its burn', PARTNER],
    ['its release', ETHEREUM],
  ])('exclude one that lost %s in a reorg that an operator accepted', async (_, chainId) => {
    const kept = await completed();
    const { number } = await t.mine(chainId);
    const waiting = await completed();
    const before = (await waitingFor())!;
    await t.store.halts.halt(chainId, 'finality broken');
    const [halt] = await t.store.halts.list();
    await t.store.halts.liftAndRollBack(halt!, number);
    expect(before.operationIds).toEqual([kept.id, waiting.id]);
    expect(await record(before)).toBeNull();
    expect(await waitingFor()).toMatchObject({ operationIds: [kept.id], amount: kept.amount });
  });
});

describe('the unretired amount', () => {
  it('is the sum of the unretired burns up to a block, paid or not', async () => {
    const unretired = (block: bigint) => t.store.retirements.unretiredAmount(PARTNER, 'USDC', block);
    const { number } = await t.mine(PARTNER);
    const before = await unretired(number);
    await completed();
    await burnt();
    const late = await t.mine(PARTNER);
    await burnt();
    expect(await unretired(number)).toBe(before);
    expect(await unretired(late.number)).toBe(before + 2_000n);
    await record((await waitingFor())!);
    expect(await unretired(late.number)).toBe(before + 1_000n);
  });
});

describe('a retirement', () => {
  it('is a wallet call, and not a delivery', async () => {
    const first = await started();
    await t.conclude(first, 'SUCCEEDED');
    const second = await started();
    expect(second).toMatchObject({
      purpose: 'RETIREMENT',
      state: 'PENDING',
      nonce: first.nonce + 1n,
      operationIds: [],
    });
    expect(await t.store.journal.pending(wallet)).toEqual([second]);
  });

  it('is recorded once per token by concurrent attempts', async () => {
    await completed();
    const waiting = (await waitingFor())!;
    const results = await Promise.all([record(waiting), record(waiting), record(waiting)]);
    expect(results.filter((call) => call !== null)).toHaveLength(1);
    await completed();
    expect(await waitingFor()).toBeNull();
    expect(await record(waiting)).toBeNull();
  });

  it('is not recorded from a list read before the previous one ended', async () => {
    await completed();
    const waiting = (await waitingFor())!;
    const call = (await record(waiting))!;
    const row = await hold(t.sql, 'SELECT 1 FROM retirement WHERE id = $1 FOR UPDATE', [call.retirementId]);
    const concluded = t.conclude(call, 'SUCCEEDED');
    await untilBlocked(t.sql, 1);
    const again = record(waiting);
    await row.release();
    expect(await concluded).toBe(true);
    expect(await again).toBeNull();
    expect(await record(waiting)).toBeNull();
  });

  it('always has the sum of its operations', async () => {
    await completed();
    const waiting = (await waitingFor())!;
    await expect(record({ ...waiting, amount: waiting.amount + 1n })).rejects.toThrow(/its operations add up to/);
    expect(await record({ ...waiting, operationIds: [...waiting.operationIds, aHash()] })).toBeNull();
    expect(await waitingFor()).toEqual(waiting);
  });

  it.each(['REVERTED', 'CANCELLED', 'TAKEN'] as const)('that ended as %s frees its withdrawals', async (state) => {
    expect(await t.conclude(await started(), state)).toBe(true);
    const waiting = (await waitingFor())!;
    expect(waiting).toMatchObject({ amount: 1_000n, lastFailedAt: expect.any(Date) });
    expect(await record(waiting)).not.toBeNull();
  });

  it('has evidence until one of its events is rolled back', async () => {
    const { number } = await t.mine(PARTNER);
    const { retirementId } = await started();
    const evidence = await t.store.retirements.evidence(retirementId!);
    expect(evidence).toEqual({ burn: expect.any(Object), release: expect.any(Object) });
    await t.store.halts.halt(PARTNER, 'finality broken');
    const [halt] = await t.store.halts.list();
    await t.store.halts.liftAndRollBack(halt!, number);
    expect(await t.store.retirements.evidence(retirementId!)).toBeNull();
  });

  it.each([PARTNER, ETHEREUM])('is not recorded while chain %d is halted', async (halted) => {
    await completed();
    const waiting = (await waitingFor())!;
    await t.store.halts.halt(halted, 'a test');
    expect(await record(waiting)).toBeNull();
  });
});

describe('the invariants of the database', () => {
  it('protect the operations of a pending retirement, and freeze an ended one', async () => {
    const call = await started();
    const { retirementId } = call;
    await expect(t.sql.query('DELETE FROM retired_operation')).rejects.toThrow(/cannot join or leave/);
    const move = t.sql.query('UPDATE retired_operation SET retirement_id = $1', [retirementId]);
    await expect(move).rejects.toThrow(/cannot join or leave/);
    const change = t.sql.query('UPDATE retirement SET amount = 1 WHERE id = $1', [retirementId]);
    await expect(change).rejects.toThrow(/not allowed/);
    await t.conclude(call, 'SUCCEEDED');
    const reopen = t.sql.query(`UPDATE retirement SET state = 'FAILED' WHERE id = $1`, [retirementId]);
    await expect(reopen).rejects.toThrow(/not allowed/);
    await expect(t.sql.query('DELETE FROM retired_operation')).rejects.toThrow(/cannot join or leave/);
  });

  it('accept a manually recorded retirement with the right sum', async () => {
    const { id } = await completed({ amount: 700n, fee: 10n, outputAmount: 690n });
    const byHand = (amount: number) => `
      BEGIN;
      INSERT INTO retirement (chain_id, asset, amount) VALUES (${PARTNER}, 'USDC', ${amount});
      INSERT INTO retired_operation SELECT '${id}', max(id) FROM retirement;
      UPDATE retirement SET state = 'CONFIRMED', ended_at = now() WHERE state = 'PENDING';
      COMMIT;`;
    await expect(t.sql.query(byHand(701))).rejects.toThrow(/its operations add up to 700/);
    expect(await waitingFor()).toMatchObject({ operationIds: [id] });
    await t.sql.query(byHand(700));
    expect(await waitingFor()).toBeNull();
  });

  it('require a retirement for RETIREMENT calls only', async () => {
    const insert = (purpose: string) =>
      t.sql.query(
        `INSERT INTO wallet_call (chain_id, sender, nonce, "to", data, value, purpose) VALUES ($1, $2, 1000, '0x', '0x', 0, $3)`,
        [PARTNER, wallet.address, purpose],
      );
    await expect(insert('RETIREMENT')).rejects.toThrow(/purpose_fits/);
    await expect(insert('SWEEP')).rejects.toThrow(/purpose_fits/);
  });
});
