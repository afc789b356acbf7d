import { afterEach, describe, expect, it } from '@jest/globals';
import { aHash, anAddress, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { zeroAddress } from 'viem';
import { HaltChangedError, type OperationTerms, type ScannedBlock } from '../../src/index.js';
import { useStore } from '../temporary-store.js';
import {
  aBurn,
  aDeposit,
  anIntent,
  aNativeWithdrawal,
  aSignature,
  aTransfer,
  CLIENT,
  opening,
  paying,
  reopening,
} from '../../src/test/rows.js';

/** The only token on both chains. */
const TOKEN = anAddress('token');

const t = useStore();
afterEach(async () => {
  const halt = await t.store.halts.deliveries();
  if (halt !== null) await t.store.halts.liftDeliveries(halt, await t.store.verdicts.unknown());
});

/** A block with the delivery of an operation, by default with the right terms. */
async function delivered(terms: OperationTerms, over: Record<string, string> = {}): Promise<ScannedBlock> {
  const isNative = terms.asset === 'XCN' && terms.destinationChainId === PARTNER;
  const token = isNative ? zeroAddress : TOKEN;
  const args = { token, recipient: terms.recipient, amount: `${terms.outputAmount}`, fee: `${terms.fee}`, ...over };
  return t.mine(terms.destinationChainId, { events: [{ ...paying(terms), args }] });
}

describe('a halt of deliveries', () => {
  it('prevents signatures and replacements, and nothing else', async () => {
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

  it('allows cancelling a call, because a cancellation pays nothing', async () => {
    const call = (await t.record(await t.due()))!;
    await t.store.halts.haltDeliveries('a test');
    expect(await t.store.journal.cancel(t.fence, call)).toBe(true);
    expect(await t.store.journal.replace(t.fence, call, aSignature(call.nonce), true)).toBe(true);
  });

  it('keeps its first reason, and is lifted only when the caller names exactly that halt', async () => {
    await t.store.halts.haltDeliveries('first');
    expect(await t.store.halts.haltDeliveries('second')).toBe(false);
    const halt = (await t.store.halts.deliveries())!;
    expect(halt.reason).toBe('first');
    await expect(t.store.halts.liftDeliveries({ ...halt, since: new Date(0) }, [])).rejects.toThrow(HaltChangedError);
    expect(await t.store.halts.deliveries()).toEqual(halt);
  });
});

describe('verdicts', () => {
  it("are missing for every new delivery, listed with its operation's terms", async () => {
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

  it('are stored once, and not for a removed delivery', async () => {
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

  it('on a reopening are stored and accepted once', async () => {
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

  it('detect a second payment with the same terms, and one of a failed operation', async () => {
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

  it('of unknown deliveries are accepted only for those that the operator reviewed', async () => {
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

  it("count all mints, but only releases with an operation's terms", async () => {
    const from = blocks((await t.mine(ETHEREUM)).number, (await t.mine(PARTNER)).number);
    const before = await t.store.xcnTotals.at(from, TOKEN);
    const deposit = await t.due(aDeposit({ asset: 'XCN', amount: 700n, outputAmount: 700n }));
    await delivered(deposit);
    const invented = aDeposit({ asset: 'XCN', amount: 30n, outputAmount: 30n });
    const partner = await delivered(invented);
    const withdrawal = await t.due(aNativeWithdrawal());
    await delivered(withdrawal);
    await delivered({ ...aNativeWithdrawal(), id: aHash() });
    // Its number was reopened although it was paid.
    await delivered(withdrawal);
    const wrong = [{ amount: '999' }, { fee: '9' }, { recipient: anAddress('thief') }, { token: anAddress('usdc') }];
    let ethereum = await t.mine(ETHEREUM);
    for (const over of wrong) ethereum = await delivered(await t.due(aNativeWithdrawal()), over);
    const to = blocks(ethereum.number, partner.number);
    const after = await t.store.xcnTotals.at(to, TOKEN);
    expect(after.minted - before.minted).toBe(730n);
    expect(after.withdrawn - before.withdrawn).toBe(withdrawal.amount);
  });

  it('are the same from a stored total, which a later rollback removes', async () => {
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
