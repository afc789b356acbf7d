import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { OperationTerms, UnsweptTransfer, WalletCall } from '../src/index.js';
import { anAddress, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { wallet, useStore } from './temporary-store.js';
import { anIntent, anOrder, aTransfer } from '../src/test/rows.js';

const t = useStore();
// Every test begins without waiting or withheld transfers.
beforeEach(async () => {
  for (const call of await t.store.journal.pending(wallet)) await t.conclude(call, 'SUCCEEDED');
  await t.sql.query('DELETE FROM inbound_transfer WHERE sweep_id IS NULL');
});
afterEach(async () => {
  for (const halt of await t.store.halts.list()) await t.store.halts.lift(halt);
});

/** A transfer to the wallet in a separate block. */
async function transferred(terms: OperationTerms, amount = terms.amount, to = wallet.address) {
  const paid = aTransfer({ payer: terms.sender, amount, wallet: to });
  const block = await t.mine(PARTNER, { transfers: [paid] });
  return { block, key: { chainId: PARTNER, txHash: paid.txHash, asset: 'XCN' as const, callIndex: 0 } };
}

/** An intent with a bound transfer that is not final. */
async function bound(over: Partial<OperationTerms> = {}, to = wallet.address) {
  const terms = anIntent(over);
  await t.store.intents.register(terms, anOrder(terms));
  const { block, key } = await transferred(terms, terms.amount, to);
  expect(await t.store.intents.bind(t.fence, key, terms.id)).toBe(true);
  return { terms, block };
}

async function final(over: Partial<OperationTerms> = {}, to = wallet.address): Promise<OperationTerms> {
  const { terms, block } = await bound(over, to);
  expect(await t.finalize(terms, block)).toBe(true);
  return terms;
}

const unswept = async () => t.store.sweeps.findUnswept(wallet, []);
const record = async (transfers: readonly UnsweptTransfer[]) => t.send({ purpose: 'SWEEP', transfers });
const ids = (transfers: readonly UnsweptTransfer[]) => transfers.map(({ operationId }) => operationId);

async function started(): Promise<WalletCall> {
  await final();
  return (await record(await unswept()))!;
}

describe('the transfers to sweep', () => {
  it('are those of final intents; amounts that may have to be returned are withheld', async () => {
    const one = await final();
    const two = await final({ amount: 700n, fee: 10n, outputAmount: 690n });
    const { terms } = await bound({ amount: 50n, fee: 10n, outputAmount: 40n });
    await transferred(terms, 3n);
    // A former wallet holds this one.
    await transferred(terms, 9n, anAddress('a former relayer'));
    expect(await unswept()).toMatchObject([
      { operationId: one.id, amount: 1_000n, wallet: wallet.address },
      { operationId: two.id, amount: 700n, wallet: wallet.address },
    ]);
    expect(await t.store.sweeps.keptBack(wallet)).toEqual({ all: 1_753n, inFloat: 0n });
  });

  it('to the current wallet come before those to a former one', async () => {
    const [former, own] = [await final({}, anAddress('a former relayer')), await final()];
    expect(ids(await unswept())).toEqual([own.id, former.id]);
  });

  it('are none without a final intent', async () => {
    await bound();
    expect(await unswept()).toEqual([]);
  });

  it('exclude those of failed intents, which are refunded', async () => {
    const kept = await final();
    const { id } = await final();
    expect(await t.store.refunds.failIntent(t.fence, id, 'SIGNATURE_REVOKED')).toBe(true);
    expect(ids(await unswept())).toEqual([kept.id]);
    expect(await t.store.sweeps.keptBack(wallet)).toEqual({ all: 2_000n, inFloat: 0n });
  });
});

describe('a sweep', () => {
  it('leaves the wallet with a debt, but without the coin, when its intent fails', async () => {
    const { id } = await final();
    await t.conclude((await record(await unswept()))!, 'SUCCEEDED');
    expect(await t.store.sweeps.isInFloat(id)).toBe(true);
    const { all, inFloat } = await t.store.sweeps.keptBack(wallet);
    expect(await t.store.refunds.failIntent(t.fence, id, 'SIGNATURE_REVOKED')).toBe(true);
    expect(await t.store.sweeps.keptBack(wallet)).toEqual({ all: all + 1_000n, inFloat: inFloat + 1_000n });
  });

  it('is a wallet call, and not a delivery', async () => {
    const first = await started();
    await t.conclude(first, 'SUCCEEDED');
    const second = await started();
    expect(second).toMatchObject({ purpose: 'SWEEP', state: 'PENDING', nonce: first.nonce + 1n, operationIds: [] });
    expect(await t.store.journal.pending(wallet)).toEqual([second]);
  });

  it('is recorded once by concurrent attempts', async () => {
    await final();
    const found = await unswept();
    const results = await Promise.all([record(found), record(found), record(found)]);
    expect(results.filter((call) => call !== null)).toHaveLength(1);
    await final();
    expect(await unswept()).toEqual([]);
  });

  it('moves a transfer once', async () => {
    await final();
    const found = await unswept();
    const call = (await record(found))!;
    await t.conclude(call, 'SUCCEEDED');
    expect(await record(found)).toBeNull();
    expect(await unswept()).toEqual([]);
    // The failed attempt did not use its nonce.
    expect((await started()).nonce).toBe(call.nonce + 1n);
  });

  it.each(['REVERTED', 'CANCELLED', 'TAKEN'] as const)('that ended as %s frees its transfers', async (state) => {
    expect(await t.conclude(await started(), state)).toBe(true);
    const found = await unswept();
    expect(found).toMatchObject([{ amount: 1_000n }]);
    expect(await record(found)).not.toBeNull();
  });

  it('does not prevent a rollback in an accepted reorg', async () => {
    const { number } = await t.mine(PARTNER);
    const call = await started();
    await t.store.halts.halt(PARTNER, 'finality broken');
    await t.store.halts.liftAndRollBack((await t.store.halts.list())[0]!, number);
    expect(await t.conclude(call, 'CANCELLED')).toBe(true);
    expect(await unswept()).toEqual([]);
  });

  it.each([PARTNER, ETHEREUM])('is not recorded while chain %d is halted', async (halted) => {
    await final();
    const found = await unswept();
    await t.store.halts.halt(halted, 'a test');
    expect(await record(found)).toBeNull();
  });
});

describe('the release of an intent', () => {
  const due = async () => {
    const found = await t.store.operations.findDue(ETHEREUM, 0n, new Date(), 100);
    return found.map(({ id }) => id);
  };

  it('is due once its transfer is swept, and not while a reorg has removed that sweep', async () => {
    const { id } = await final();
    await t.store.operations.releaseHolds(t.fence, [id], new Date());
    expect(await due()).not.toContain(id);
    const call = (await record(await unswept()))!;
    expect(await due()).not.toContain(id);
    await t.conclude(call, 'SUCCEEDED');
    expect(await due()).toContain(id);
    const { number } = await t.mine(PARTNER);
    await t.store.journal.reopenLost(t.fence, wallet, call.nonce, number);
    expect(await due()).not.toContain(id);
    await t.conclude(call, 'REVERTED');
    expect(ids(await unswept())).toEqual([id]);
  });
});
