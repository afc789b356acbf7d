import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { zeroAddress } from 'viem';
import {
  aBlock,
  aBurn,
  aDeposit,
  aHash,
  anAddress,
  anIntent,
  aNativeWithdrawal,
  aSignature,
  aTransfer,
  ETHEREUM,
  opening,
  paying,
  PARTNER,
  reopening,
  CLIENT,
} from '@causeway/test-kit';
import { HaltChangedError, type OperationTerms, type ScannedBlock } from '../src/index.js';
import { temporaryStore, wallet, type TemporaryStore } from './temporary-store.js';

/** The only token on both chains. */
const TOKEN = anAddress('token');

let t: TemporaryStore;

beforeAll(async () => {
  t = await temporaryStore();
});
afterAll(async () => t.close());
afterEach(async () => {
  const halt = await t.store.halts.deliveries();
  if (halt !== null) await t.store.halts.liftDeliveries(halt, await t.store.verdicts.unknown());
});

/** A block with the delivery of an operation, as it is owed unless something is changed. */
async function delivered(terms: OperationTerms, over: Record<string, string> = {}): Promise<ScannedBlock> {
  const isNative = terms.asset === 'XCN' && terms.destinationChainId === PARTNER;
  const token = isNative ? zeroAddress : TOKEN;
  const args = { token, recipient: terms.recipient, amount: `${terms.outputAmount}`, fee: `${terms.fee}`, ...over };
  return t.mine(terms.destinationChainId, { events: [{ ...paying(terms), args }] });
}

describe('a halt of deliveries', () => {
  it('lets nothing be signed or replaced, and lets everything else go on', async () => {
    const [terms, waiting] = [await t.due(), await t.due()];
    const call = (await t.record(terms))!;
    expect(await t.store.halts.haltDeliveries('a test')).toBe(true);
    expect(await t.record(waiting)).toBeNull();
    expect(await t.store.journal.replace(t.fence, call, aSignature(call.nonce), false)).toBe(false);
    expect(await t.store.halts.list()).toEqual([]);
    await delivered(terms);
    const deposit = aDeposit();
    const origin = await t.mine(ETHEREUM, { events: [opening(deposit)] });
    expect(await t.finalize(deposit, origin)).toBe(true);
    const unpaid = [{ operationId: terms.id, reason: 'NONCE_TAKEN' as const, nextAttemptAt: new Date() }];
    expect(await t.conclude(call, 'TAKEN', unpaid)).toBe(true);
  });

  it('lets a call be cancelled, since a cancellation pays nothing', async () => {
    const call = (await t.record(await t.due()))!;
    await t.store.halts.haltDeliveries('a test');
    expect(await t.store.journal.cancel(t.fence, call)).toBe(true);
    expect(await t.store.journal.replace(t.fence, call, aSignature(call.nonce), true)).toBe(true);
  });

  it('keeps its first reason, and is lifted only when the caller names that very halt', async () => {
    await t.store.halts.haltDeliveries('first');
    expect(await t.store.halts.haltDeliveries('second')).toBe(false);
    const halt = (await t.store.halts.deliveries())!;
    expect(halt.reason).toBe('first');
    await expect(t.store.halts.liftDeliveries({ ...halt, since: new Date(0) }, [])).rejects.toThrow(HaltChangedError);
    expect(await t.store.halts.deliveries()).toEqual(halt);
  });
});

describe('verdicts', () => {
  it('wait for every delivery that was read, with what its operation is owed', async () => {
    const terms = await t.due();
    const block = await delivered(terms);
    await delivered({ ...aBurn(), id: aHash() });
    const mint = (await t.store.verdicts.unjudged(PARTNER, 10)).at(-1);
    expect(mint?.delivery).toMatchObject({ operationId: terms.id, blockHash: block.hash, minedAt: block.timestamp });
    expect(mint?.owed).toEqual({
      asset: 'USDC',
      recipient: terms.recipient,
      outputAmount: terms.outputAmount,
      fee: 0n,
      destinationChainId: PARTNER,
    });
    expect((await t.store.verdicts.unjudged(ETHEREUM, 10)).at(-1)?.owed).toBeNull();
  });

  it('are stored once, and not for a delivery that a reorg removed', async () => {
    const block = await delivered(await t.due());
    const [entry] = (await t.store.verdicts.unjudged(PARTNER, 10)).slice(-1);
    const { delivery } = entry!;
    const elsewhere = { ...delivery, blockHash: aHash() };
    expect(await t.store.verdicts.record(t.fence, PARTNER, 'MATCHED', [elsewhere])).toBe(0);
    expect(await t.store.verdicts.record(t.fence, PARTNER, 'MATCHED', [delivery])).toBe(1);
    expect(await t.store.verdicts.record(t.fence, PARTNER, 'UNKNOWN', [delivery])).toBe(0);
    await t.store.scan.rollBack(t.fence, PARTNER, block.number - 1n);
    await t.store.scan.extend(t.fence, PARTNER, [block], block.number);
    expect((await t.store.verdicts.unjudged(PARTNER, 10)).map((each) => each.delivery.txHash)).toContain(
      delivery.txHash,
    );
  });

  it('of an opening wait until the watch knows what it opens, and are accepted once', async () => {
    const [paid, other] = [await t.due(), await t.due()];
    const delivery = await delivered(paid);
    const event = reopening(paid, other);
    const { number } = await t.mine(PARTNER, { events: [event] });
    const readOpening = async () =>
      (await t.store.verdicts.unjudgedOpenings(PARTNER, 10)).find(({ txHash }) => txHash === event.txHash);
    const read = (await readOpening())!;
    expect(read).toMatchObject({ name: 'Reopened', args: event.args, blockNumber: number });
    expect(new Set(read.ids)).toEqual(new Set([paid.id, other.id]));
    expect(await t.store.verdicts.deliveriesFor(PARTNER, read.ids)).toMatchObject([
      { delivery: { blockNumber: delivery.number }, owed: { outputAmount: paid.outputAmount }, isRepeated: false },
    ]);
    await t.store.verdicts.record(t.fence, PARTNER, 'UNKNOWN', [read]);
    expect(await t.store.verdicts.unknown()).toContainEqual(expect.objectContaining({ txHash: event.txHash }));
    await t.store.halts.haltDeliveries('a test');
    await t.store.halts.liftDeliveries((await t.store.halts.deliveries())!, [read]);
    expect(await readOpening()).toBeUndefined();
    expect(await t.store.verdicts.unknown()).toEqual([]);
  });

  it('know a second payment with the same terms, and one of a failed operation', async () => {
    const terms = await t.due(aBurn());
    await delivered(terms);
    await delivered(terms, { amount: '1' });
    await delivered(terms);
    const entries = await t.store.verdicts.deliveriesFor(ETHEREUM, [terms.id]);
    expect(entries.map(({ isRepeated }) => isRepeated)).toEqual([false, false, true]);
    const sender = anAddress();
    const intent = anIntent({ sender });
    const signed = {
      sender,
      signature: '0x01',
      deadlineSeconds: 2_000_000_000n,
      nonce: 'n',
      idempotencyKey: 'k',
    } as const;
    await t.store.intents.register(intent, {
      id: intent.id,
      ...signed,
      ...CLIENT,
      expiresAt: new Date(2_000_000_000_000),
    });
    const transfer = aTransfer({ payer: sender });
    const origin = await t.mine(PARTNER, { transfers: [transfer] });
    await t.store.intents.bind(t.fence, { chainId: PARTNER, ...transfer }, intent.id);
    await t.finalize(intent, origin);
    expect(await t.store.refunds.failIntent(t.fence, intent.id, 'SIGNATURE_REVOKED')).toBe(true);
    await delivered(intent);
    expect(await t.store.verdicts.deliveriesFor(ETHEREUM, [intent.id])).toMatchObject([{ hasFailed: true }]);
  });

  it('of unknown deliveries are accepted only where the operator looked', async () => {
    await delivered({ ...aBurn(), id: aHash() });
    await delivered({ ...aBurn(), id: aHash() });
    const waiting = (await t.store.verdicts.unjudged(ETHEREUM, 10)).map(({ delivery }) => delivery);
    await t.store.verdicts.record(t.fence, ETHEREUM, 'UNKNOWN', waiting);
    const [looked, later] = (await t.store.verdicts.unknown()).slice(-2);
    await t.store.halts.haltDeliveries('a test');
    await t.store.halts.liftDeliveries((await t.store.halts.deliveries())!, [looked!]);
    const left = (await t.store.verdicts.unknown()).map(({ txHash }) => txHash);
    expect(left).toContain(later!.txHash);
    expect(left).not.toContain(looked!.txHash);
  });
});

describe('the totals of native XCN', () => {
  const blocks = (ethereum: bigint, partner: bigint) => ({
    ethereum: { chainId: ETHEREUM, number: ethereum },
    partner: { chainId: PARTNER, number: partner },
  });

  it('count all mints, and only the releases that pay an operation as it is owed', async () => {
    const from = blocks((await t.mine(ETHEREUM)).number, (await t.mine(PARTNER)).number);
    const before = await t.store.xcnTotals.at(from, TOKEN);
    const deposit = await t.due(aDeposit({ asset: 'XCN', amount: 700n, outputAmount: 700n }));
    await delivered(deposit);
    const invented = aDeposit({ asset: 'XCN', amount: 30n, outputAmount: 30n });
    const partner = await delivered(invented);
    const withdrawal = await t.due(aNativeWithdrawal());
    await delivered(withdrawal);
    await delivered({ ...aNativeWithdrawal(), id: aHash() });
    // Its number was opened although it was paid.
    await delivered(withdrawal);
    const wrong = [{ amount: '999' }, { fee: '9' }, { recipient: anAddress('thief') }, { token: anAddress('usdc') }];
    let ethereum = await t.mine(ETHEREUM);
    for (const over of wrong) ethereum = await delivered(await t.due(aNativeWithdrawal()), over);
    const to = blocks(ethereum.number, partner.number);
    const after = await t.store.xcnTotals.at(to, TOKEN);
    expect(after.minted - before.minted).toBe(730n);
    expect(after.withdrawn - before.withdrawn).toBe(withdrawal.amount);
  });

  it('are the same from a stored start, which a later rollback removes', async () => {
    const to = blocks((await t.mine(ETHEREUM)).number, (await t.mine(PARTNER)).number);
    const totals = await t.store.xcnTotals.at(to, TOKEN);
    expect(await t.store.xcnTotals.keep(t.fence, to, totals, new Date(3_600_000))).toBe(true);
    expect(await t.store.xcnTotals.keep(t.fence, to, totals, new Date(3_600_001))).toBe(false);
    const deposit = await t.due(aDeposit({ asset: 'XCN', amount: 5n, outputAmount: 5n }));
    const { number } = await delivered(deposit);
    const later = blocks(to.ethereum.number, number);
    expect((await t.store.xcnTotals.at(later, TOKEN)).minted).toBe(totals.minted + 5n);
    const grown = { minted: totals.minted + 5n, withdrawn: totals.withdrawn + 3n };
    await t.store.xcnTotals.keep(t.fence, later, grown, new Date(3 * 3_600_000));
    expect(await t.store.xcnTotals.outflowPerDay(new Date(0))).toBe(2n);
    const last = blocks(later.ethereum.number, (await t.mine(PARTNER)).number);
    await t.store.xcnTotals.keep(t.fence, last, { ...grown, withdrawn: grown.withdrawn + 6n }, new Date(2e8));
    expect(await t.store.xcnTotals.outflowPerDay(new Date(0))).toBe(0n);
    await t.store.scan.rollBack(t.fence, PARTNER, number - 1n);
    expect(await t.store.xcnTotals.at(later, TOKEN)).toEqual(totals);
    expect(await t.store.xcnTotals.outflowPerDay(new Date(0))).toBeNull();
  });
});

describe('the account of a wallet', () => {
  it('adds up the transfers of a range, and keeps differences until they are explained', async () => {
    const { audits } = t.store;
    const start = await t.mine(PARTNER);
    await t.mine(PARTNER, { transfers: [aTransfer({ amount: 3n }), aTransfer({ amount: 4n })] });
    const end = await t.mine(PARTNER, { transfers: [aTransfer({ amount: 5n, wallet: anAddress() })] });
    expect(await audits.received(wallet, 'XCN', start.number, end.number)).toBe(7n);
    expect(await audits.received(wallet, 'XCN', start.number + 1n, end.number)).toBe(0n);
    expect(await audits.received(wallet, 'XCN', start.number, end.number + 1n)).toBeNull();
    expect(await audits.last(wallet)).toBeNull();
    const state = { blockNumber: end.number, balance: 10n ** 30n, nonce: 2n };
    const found = { since: null, block: end, transfers: [], dust: [], difference: -9n };
    expect(await audits.advance(t.fence, wallet, { state, ...found })).toBe(true);
    expect(await audits.last(wallet)).toEqual(state);
    expect(await audits.unexplained()).toMatchObject([
      { blockNumber: end.number, amount: -9n, wallet: wallet.address },
    ]);
    expect(await audits.explain(PARTNER, end.number + 1n, 'why')).toBe(false);
    expect(await audits.explain(PARTNER, end.number, 'why')).toBe(true);
    expect(await audits.unexplained()).toEqual([]);
  });

  const stateAt = (blockNumber: bigint, balance = 0n) => ({ blockNumber, balance, nonce: 0n });
  const nothing = { since: null, transfers: [], dust: [], difference: 0n };

  it('stores internal transfers with their block: each of a bundle pays the intent of its account', async () => {
    const { audits, intents } = t.store;
    const [one, other] = [aTransfer({ callIndex: 3 }), aTransfer({ callIndex: 9 })];
    const bundle = [one, { ...other, txHash: one.txHash }];
    const terms = await Promise.all(
      bundle.map(async ({ payer: sender, amount }) => {
        const intent = anIntent({ sender, amount });
        const signed = { id: intent.id, sender, signature: '0x01' as const, deadlineSeconds: 2_000_000_000n };
        const keys = { nonce: aHash(), idempotencyKey: aHash(), ...CLIENT, expiresAt: new Date(Date.now() + 600_000) };
        await intents.register(intent, { ...signed, ...keys });
        return intent;
      }),
    );
    const block = await t.mine(PARTNER, { timestamp: new Date() });
    const state = stateAt(block.number, 2_000n);
    expect(await audits.advance(t.fence, wallet, { ...nothing, state, block, transfers: bundle })).toBe(true);
    expect(await audits.received(wallet, 'XCN', block.number - 1n, block.number)).toBe(2_000n);
    const unbound = await intents.findUnbound(PARTNER);
    expect(unbound.map(({ key, candidates }) => [key.callIndex, candidates.map(({ id }) => id)])).toEqual([
      [3, [terms[0]!.id]],
      [9, [terms[1]!.id]],
    ]);
    for (const { key, candidates } of unbound) expect(await intents.bind(t.fence, key, candidates[0]!.id)).toBe(true);
    await t.store.scan.rollBack(t.fence, PARTNER, block.number - 1n);
    expect(await audits.received(wallet, 'XCN', block.number - 1n, block.number)).toBeNull();
    for (const intent of terms)
      expect(await t.operation(intent)).toMatchObject({ status: 'PENDING_ORIGIN_TX', origin: null });
  });

  it('sums dust per payer: it counts as received, goes with its block, and old rows become one', async () => {
    const { audits, scan } = t.store;
    const payer = anAddress();
    const dust = { wallet: wallet.address, asset: 'XCN' as const, payer, amount: 5n, transfers: 3 };
    const rows = async () => {
      const text = 'SELECT block_number, amount, transfers FROM dust WHERE payer = $1 ORDER BY block_number';
      return (await t.sql.query<Record<string, string>>(text, [payer])).rows.map((row) =>
        Object.values(row).map(BigInt),
      );
    };
    const [first, second] = [await t.mine(PARTNER, { dust: [dust] }), await t.mine(PARTNER, { dust: [dust] })];
    expect(await audits.received(wallet, 'XCN', first.number - 1n, second.number)).toBe(10n);
    const found = { ...nothing, dust: [dust], state: stateAt(second.number), block: second };
    await audits.advance(t.fence, wallet, found);
    expect(await rows()).toEqual([
      [first.number, 5n, 3n],
      [second.number, 10n, 6n],
    ]);
    expect(await t.store.reconcile.dust()).toEqual([{ chainId: PARTNER, asset: 'XCN', amount: 15n, transfers: 9n }]);
    await scan.rollBack(t.fence, PARTNER, first.number);
    expect(await rows()).toEqual([[first.number, 5n, 3n]]);
    const from = (await scan.cursor(PARTNER))!.nextBlock;
    const late = aBlock(first.number + 5_000n, { dust: [dust] });
    await scan.extend(t.fence, PARTNER, [late], late.number, from);
    await audits.advance(t.fence, wallet, { ...nothing, state: stateAt(late.number), block: late });
    expect(await rows()).toEqual([
      [0n, 5n, 3n],
      [late.number, 5n, 3n],
    ]);
  });

  it('goes back with a reorg, to the last block that is left', async () => {
    const { audits, scan } = t.store;
    const blocks = [await t.mine(PARTNER), await t.mine(PARTNER), await t.mine(PARTNER)];
    for (const block of blocks)
      await audits.advance(t.fence, wallet, { ...nothing, state: stateAt(block.number), block, difference: 1n });
    await scan.rollBack(t.fence, PARTNER, blocks[0]!.number);
    expect(await audits.last(wallet)).toEqual(stateAt(blocks[0]!.number));
    expect((await audits.unexplained()).map(({ blockNumber }) => blockNumber)).toEqual([blocks[0]!.number]);
    const again = await t.mine(PARTNER);
    const next = await t.mine(PARTNER);
    const advance = (since: bigint) =>
      audits.advance(t.fence, wallet, { ...nothing, since, state: stateAt(next.number), block: next });
    // A total from a block that the reorg has removed is wrong.
    expect(await advance(again.number)).toBe(false);
    expect(await advance(blocks[0]!.number)).toBe(true);
    await audits.explain(PARTNER, blocks[0]!.number, 'a test');
  });

  it('stores nothing of a block that a reorg removed, or that was not read, nor while the chain is halted', async () => {
    const { audits, halts } = t.store;
    const block = await t.mine(PARTNER);
    const advance = (number: bigint, hash = block.hash) =>
      audits.advance(t.fence, wallet, { ...nothing, state: stateAt(number), block: { ...block, hash } });
    expect(await advance(block.number, aHash())).toBe(false);
    expect(await advance(block.number + 1n)).toBe(false);
    await halts.halt(PARTNER, 'a test');
    expect(await advance(block.number)).toBe(false);
    const [halt] = await halts.list();
    await halts.lift(halt!);
    expect(await advance(block.number)).toBe(true);
  });
});

describe('mints in flight', () => {
  it('are those that are signed from a nonce on, unless they lost their origin', async () => {
    const sumFrom = (nonce: bigint, originUntil = 10n ** 9n) =>
      t.store.journal.mintsFrom(wallet, nonce, 'ETH', originUntil);
    const [one, other] = [await t.due(aDeposit({ asset: 'ETH' })), await t.due(aDeposit({ asset: 'ETH', amount: 7n }))];
    const signed = (await t.record(one))!;
    await t.record(other);
    expect([await sumFrom(signed.nonce), await sumFrom(signed.nonce + 1n)]).toEqual([1_007n, 7n]);
    const { blockNumber } = (await t.operation(other)).origin!;
    expect(await sumFrom(signed.nonce, blockNumber - 1n)).toBe(1_000n);
    await t.store.halts.halt(ETHEREUM, 'a test');
    const [halt] = await t.store.halts.list();
    await t.store.halts.liftAndRollBack(halt!, (await t.operation(other)).origin!.blockNumber - 1n);
    expect(await sumFrom(signed.nonce)).toBe(1_000n);
  });

  it('are without the operations that their calls did not pay', async () => {
    const [skipped, paid] = [
      await t.due(aDeposit({ asset: 'ETH' })),
      await t.due(aDeposit({ asset: 'ETH', amount: 7n })),
    ];
    const first = (await t.record(skipped, paid))!;
    const sumFrom = (nonce: bigint) => t.store.journal.mintsFrom(wallet, nonce, 'ETH', 10n ** 9n);
    expect(await sumFrom(first.nonce)).toBe(1_007n);
    const unpaid = [{ operationId: skipped.id, reason: 'OUTFLOW_LIMIT' as const, nextAttemptAt: new Date() }];
    expect(await t.conclude(first, 'SUCCEEDED', unpaid)).toBe(true);
    expect(await sumFrom(first.nonce)).toBe(7n);
    const second = (await t.record(skipped))!;
    expect([await sumFrom(first.nonce), await sumFrom(second.nonce)]).toEqual([1_007n, 1_000n]);
  });
});

describe('queues', () => {
  it('count the operations by stage and reason, and the pending transactions', async () => {
    const terms = await t.due();
    await t.store.operations.delayAll(t.fence, [
      { operationId: terms.id, reason: 'FLOAT_SHORT', nextAttemptAt: new Date() },
    ]);
    const depths = await t.store.queues.depths();
    expect(depths).toContainEqual(expect.objectContaining({ stage: 'deliver', reason: 'FLOAT_SHORT', operations: 1 }));
    const call = (await t.record(await t.due()))!;
    await t.store.journal.replace(t.fence, call, aSignature(call.nonce), false);
    const pending = (await t.store.queues.transactions()).find(({ chainId }) => chainId === PARTNER);
    expect(pending).toMatchObject({ replacements: expect.any(Number) });
    expect(pending!.replacements).toBeGreaterThan(0);
  });

  it('sum up the owed amounts: with fees, by destination and asset, without the deliveries that are sent', async () => {
    const owed = async () =>
      (await t.store.queues.owed()).find(({ chainId, asset }) => chainId === PARTNER && asset === 'XCN')?.amount ?? 0n;
    const before = await owed();
    const [confirming, due, sent] = [1_000n, 500n, 70n].map((amount) => aDeposit({ asset: 'XCN', amount }));
    await t.mine(ETHEREUM, { events: [opening(confirming!)] });
    await t.due(due);
    expect(await owed()).toBe(before + 1_500n);
    await t.record(await t.due(sent));
    expect(await owed()).toBe(before + 1_500n);
  });
});
