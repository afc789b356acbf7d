import { describe, expect, it } from '@jest/globals';
import { computeRefundId } from '@causeway/protocol';
import { aHash, anAddress, ETHEREUM, PARTNER } from '@causeway/test-kit';
import type { Address, Hex } from 'viem';
import type { OperationTerms, Refund, ScannedBlock, WalletCall } from '../src/index.js';
import { aCall, wallet, useStore } from './temporary-store.js';
import { anIntent, anOrder, aTransfer } from '../src/test/rows.js';

const CHAINS = { ethereum: ETHEREUM, partner: PARTNER };
const t = useStore();

/** Fails all transfers up to a block that pay no intent. Returns the ids. */
async function failUntil(block: ScannedBlock): Promise<Hex[]> {
  const unmatched = await t.store.refunds.findUnmatched(PARTNER, block.number);
  const final = unmatched.map((arrival) => ({ ...arrival, finalizedAt: block.timestamp, confirmations: 6 }));
  return t.store.refunds.failArrivals(t.fence, final, CHAINS);
}

/** A requested refund of a transfer that pays no intent. */
async function requested(amount = 1_000n): Promise<Refund> {
  const transfer = aTransfer({ amount });
  await failUntil(await t.mine(PARTNER, { transfers: [transfer] }));
  return (await t.store.refunds.find(computeRefundId({ chainId: PARTNER, ...transfer })))!;
}

/** An intent whose transfer is final, without a hold. */
async function paidIntent(): Promise<{
  terms: OperationTerms;
  transfer: ReturnType<typeof aTransfer>;
  block: ScannedBlock;
}> {
  const terms = anIntent();
  const { id, sender } = terms;
  await t.store.intents.register(terms, anOrder(terms));
  const transfer = aTransfer({ payer: sender, amount: terms.amount });
  const block = await t.mine(PARTNER, { transfers: [transfer] });
  expect(await t.store.intents.bind(t.fence, { chainId: PARTNER, ...transfer }, id)).toBe(true);
  await t.finalize(terms, block);
  return { terms, transfer, block };
}

const pay = ({ id: refundId, amount }: Refund, recipient: Address) =>
  t.send({ purpose: 'REFUND', refundId, recipient, paidAmount: amount - 1n, gasFee: 1n, dust: 0n });
/** The operation whose refund a transaction pays, by the database. */
const refundedBy = async ({ transactions }: WalletCall) =>
  (await t.store.related.find(transactions[0]!.hash, [ETHEREUM, PARTNER])).refundedId;
const readStatus = async ({ id }: Refund) => (await t.store.refunds.find(id))?.status;

describe('a release of an intent that has FAILED here, as in a former primary', () => {
  it('is listed, and opposes the refund of its transfer', async () => {
    const { terms } = await paidIntent();
    expect(await t.store.refunds.failIntent(t.fence, terms.id, 'REJECTED_BY_OPERATORS')).toBe(true);
    const { recipient, outputAmount, fee } = terms;
    const args = { recipient, token: anAddress(), amount: `${outputAmount}`, fee: `${fee}` };
    await t.mine(ETHEREUM, {
      events: [{ txHash: aHash(), logIndex: 0, name: 'Release', operationId: terms.id, args }],
    });
    expect(await t.store.restore.unknownReleases(null)).toMatchObject([{ operationId: terms.id }]);
    const refund = (await t.store.refunds.findOpen()).find(({ operationId }) => operationId === terms.id);
    expect(await t.store.refunds.findMaybePaidBy(refund!)).toEqual([terms.id]);
  });
});

describe('a transfer that pays no intent', () => {
  it('fails once, with a refund of the same id, and is withheld until it is refunded', async () => {
    const before = (await t.store.sweeps.keptBack(wallet)).all;
    const refund = await requested();
    expect(refund).toMatchObject({ status: 'REQUESTED', operationId: refund.id, amount: 1_000n, payment: null });
    expect(await t.store.operations.findById(refund.id)).toMatchObject({
      kind: 'TRANSFER',
      status: 'FAILED',
      refundId: refund.id,
      outputAmount: 0n,
    });
    expect(await failUntil(await t.mine(PARTNER))).toEqual([]);
    expect(await t.store.sweeps.keptBack(wallet)).toEqual({ all: before + 1_000n, inFloat: 0n });
    await refuse(refund.id);
    expect(await t.store.sweeps.keptBack(wallet)).toEqual({ all: before, inFloat: 0n });
  });

  it('does not fail while an open intent can claim it, nor if it is the lost transfer of a released intent', async () => {
    const { terms, transfer, block } = await paidIntent();
    const open = anIntent();
    await t.store.intents.register(open, anOrder(open));
    const claimed = aTransfer({ payer: open.sender, amount: open.amount });
    expect(await failUntil(await t.mine(PARTNER, { transfers: [claimed] }))).toEqual([]);
    // An accepted reorg of final blocks: the intent was released, and the new branch contains its transfer again.
    const record = (await t.send({ purpose: 'NONCE_GAP' }))!;
    await t.conclude(record, 'TAKEN');
    await t.sql.query(
      `UPDATE operation SET status = 'PROCESSING_DESTINATION', destination_tx_hash = $2 WHERE id = $1`,
      [terms.id, aHash()],
    );
    await t.sql.query(
      `UPDATE operation SET status = 'COMPLETED', settled_at = now(), settled_block_number = 1 WHERE id = $1`,
      [terms.id],
    );
    await t.store.halts.halt(PARTNER, 'finality broken');
    const [halt] = await t.store.halts.list();
    await t.store.halts.liftAndRollBack(halt!, block.number - 1n);
    const again = await t.mine(PARTNER, { transfers: [transfer] });
    expect(await failUntil(again)).toEqual([]);
  });

  it('is linked again after an accepted reorg removed it, and has one refund', async () => {
    const transfer = aTransfer();
    const block = await t.mine(PARTNER, { transfers: [transfer] });
    const [id] = await failUntil(block);
    await t.store.halts.halt(PARTNER, 'finality broken');
    const [halt] = await t.store.halts.list();
    await t.store.halts.liftAndRollBack(halt!, block.number - 1n);
    expect(await t.store.refunds.arrival(id!)).toBeNull();
    const again = await t.mine(PARTNER, { transfers: [transfer] });
    expect(await failUntil(again)).toEqual([id]);
    expect(await t.store.refunds.arrival(id!)).toEqual({ blockNumber: again.number, blockHash: again.hash });
    expect((await t.store.refunds.findOpen()).filter((refund) => refund.id === id)).toHaveLength(1);
  });
});

describe('an intent that fails', () => {
  it('gets the refund of its transfer, and cannot be released', async () => {
    const { terms, transfer } = await paidIntent();
    expect(await t.store.refunds.failIntent(t.fence, terms.id, 'REJECTED_BY_OPERATORS')).toBe(true);
    const refundId = computeRefundId({ chainId: PARTNER, ...transfer });
    expect(await t.operation(terms)).toMatchObject({
      status: 'FAILED',
      failureReason: 'REJECTED_BY_OPERATORS',
      refundId,
    });
    expect(await t.store.refunds.find(refundId)).toMatchObject({ operationId: terms.id, amount: terms.amount });
    expect(await t.store.operations.findDue(ETHEREUM, 0n, new Date(), 500)).not.toContainEqual(
      expect.objectContaining({ id: terms.id }),
    );
    expect(await t.store.refunds.failIntent(t.fence, terms.id, 'REJECTED_BY_OPERATORS')).toBe(false);
  });

  it('fails neither before its transfer is final nor while a chain is halted', async () => {
    const terms = anIntent();
    expect(await t.store.refunds.failIntent(t.fence, terms.id, 'SIGNATURE_REVOKED')).toBe(false);
    const paid = await paidIntent();
    await t.store.halts.halt(ETHEREUM, 'a test');
    expect(await t.store.refunds.failIntent(t.fence, paid.terms.id, 'SIGNATURE_REVOKED')).toBe(false);
    for (const halt of await t.store.halts.list()) await t.store.halts.lift(halt);
  });
});

/** The operators' decision, as written by the relayer. Its approvals are verified elsewhere. */
const approve = (refundId: Hex, recipient: Address) =>
  t.store.requests.perform(
    { kind: 'approve-refund', refundId, recipient, requestId: aHash() },
    { action: 'refund-approve' },
  );
const refuse = (refundId: Hex) =>
  t.store.requests.perform({ kind: 'refuse-refund', refundId }, { action: 'refund-refuse' });

describe('a refund', () => {
  it('is paid by one call at a time, and only to the approved recipient', async () => {
    const refund = await requested();
    expect(await pay(refund, refund.payer)).toBeNull();
    await approve(refund.id, refund.payer);
    expect(await pay(refund, anAddress())).toBeNull();
    const calls = await Promise.all([pay(refund, refund.payer), pay(refund, refund.payer)]);
    expect(calls.filter((call) => call !== null)).toHaveLength(1);
    expect(await readStatus(refund)).toBe('PENDING');
    expect(await refuse(refund.id)).toBe(false);
    expect(await approve(refund.id, anAddress())).toBe(false);
  });

  it.each(['REVERTED', 'CANCELLED', 'TAKEN'] as const)(
    'whose call ended as %s is paid by another call',
    async (state) => {
      const refund = await requested();
      await approve(refund.id, refund.payer);
      const call = (await pay(refund, refund.payer))!;
      expect(await refundedBy(call)).toBe(refund.operationId);
      await t.conclude(call, state);
      expect(await refundedBy(call)).toBeNull();
      expect(await t.store.refunds.find(refund.id)).toMatchObject({ status: 'APPROVED', payment: null, txHash: null });
      expect(await pay(refund, refund.payer)).not.toBeNull();
    },
  );

  it('stays with the call that pays it when a reorg reopens an earlier one', async () => {
    const refund = await requested();
    await approve(refund.id, refund.payer);
    const reverted = (await pay(refund, refund.payer))!;
    await t.conclude(reverted, 'REVERTED');
    const paying = (await pay(refund, refund.payer))!;
    expect(await t.store.journal.reopenLost(t.fence, wallet, reverted.nonce, 1_000_000n)).toBe(1);
    const reopened = (await t.store.journal.withNonce(wallet, reverted.nonce))!;
    expect(reopened).toMatchObject({ state: 'PENDING', isCancelled: true });
    expect(await t.conclude(reopened, 'CANCELLED')).toBe(true);
    expect(await t.store.refunds.find(refund.id)).toMatchObject({
      status: 'PENDING',
      txHash: paying.transactions[0]!.hash,
    });
    await t.conclude(paying, 'REVERTED');
    expect(await readStatus(refund)).toBe('APPROVED');
  });

  it('is completed by its final event, not by its call, and never changes afterwards', async () => {
    const refund = await requested();
    await approve(refund.id, refund.payer);
    const call = (await pay(refund, refund.payer))!;
    await t.conclude(call, 'SUCCEEDED');
    expect(await refundedBy(call)).toBe(refund.operationId);
    expect(await readStatus(refund)).toBe('PENDING');
    const args = { token: anAddress(), recipient: refund.payer, amount: '999' };
    const txHash = call.transactions[0]!.hash;
    const event = { txHash, logIndex: 0, name: 'Refunded', operationId: refund.id, args } as const;
    const { number } = await t.mine(PARTNER, { events: [event] });
    const seen = (await t.store.refunds.findPaid(PARTNER, number)).find(({ refundId }) => refundId === refund.id)!;
    expect(seen).toMatchObject({ txHash, args });
    const judged = (await t.store.verdicts.unjudged(PARTNER, 100)).find(({ delivery }) => delivery.txHash === txHash);
    expect(judged?.owed).toMatchObject({ recipient: refund.payer, outputAmount: 999n, fee: 0n, asset: 'XCN' });
    expect(await t.store.refunds.complete(t.fence, { ...seen, blockHash: aHash() }, PARTNER)).toBe(false);
    expect(await t.store.refunds.complete(t.fence, seen, PARTNER)).toBe(true);
    expect(await t.store.refunds.complete(t.fence, seen, PARTNER)).toBe(false);
    expect(await readStatus(refund)).toBe('COMPLETED');
    // A reorg that removes a final payment needs an operator.
    await expect(t.store.scan.rollBack(t.fence, PARTNER, number - 1n)).rejects.toThrow(refund.operationId);
    const change = (sql: string) => t.sql.query(`${sql} WHERE id = $1`, [refund.id]);
    await expect(change(`UPDATE refund SET status = 'APPROVED'`)).rejects.toThrow(/not allowed/);
    await expect(change('UPDATE refund SET amount = 1')).rejects.toThrow(/not allowed/);
    await expect(change('DELETE FROM refund')).rejects.toThrow(/not allowed|foreign key/);
  });

  it('on Ethereum, where no contract records it, is completed by the final receipt of its call', async () => {
    const transfer = { ...aTransfer(), asset: 'USDC' as const };
    const arrived = await t.mine(ETHEREUM, { transfers: [transfer] });
    const [arrival] = await t.store.refunds.findUnmatched(ETHEREUM, arrived.number);
    const final = { ...arrival!, finalizedAt: arrived.timestamp, confirmations: 12 };
    const [id] = await t.store.refunds.failArrivals(t.fence, [final], CHAINS);
    expect(await t.store.operations.findById(id!)).toMatchObject({ asset: 'USDC', direction: 'ETHEREUM_TO_PARTNER' });
    await approve(id!, transfer.payer);
    const onEthereum = { ...wallet, chainId: ETHEREUM };
    const payment = { refundId: id!, recipient: transfer.payer, paidAmount: 1_000n, gasFee: 0n, dust: 0n };
    const call = aCall(0n, { purpose: 'REFUND', ...payment });
    expect(await t.store.journal.record(t.fence, onEthereum, [call])).toEqual({ kind: 'recorded' });
    const { number, hash, timestamp } = await t.mine(ETHEREUM);
    const outcome = {
      state: 'SUCCEEDED',
      txHash: call.transaction.hash,
      block: { number, hash },
      feePaid: 1n,
    } as const;
    const pending = (await t.store.journal.withNonce(onEthereum, 0n))!;
    expect(await t.store.journal.conclude(t.fence, pending, outcome, [])).toBe(true);
    expect(await t.store.refunds.find(id!)).toMatchObject({ status: 'COMPLETED', settledAt: timestamp });
  });

  it('is restored by its last payment, if its id was reopened', async () => {
    const refund = await requested();
    const pays = async (recipient: Address, amount: string) => {
      const event = { txHash: aHash(), logIndex: 0, name: 'Refunded', operationId: refund.id } as const;
      return t.mine(PARTNER, { events: [{ ...event, args: { token: anAddress(), recipient, amount } }] });
    };
    await pays(anAddress('thief'), '1');
    const { number } = await pays(refund.payer, '990');
    const until = async (finalBlock: bigint) =>
      (await t.store.restore.paidRefunds(PARTNER, finalBlock)).filter((each) => each.refund.id === refund.id);
    // A reorg may remove a payment that is not final.
    expect(await until(number - 1n)).toEqual([]);
    const paid = await until(number);
    expect(paid).toMatchObject([{ recipient: refund.payer, amount: 990n }]);
    expect(await t.store.restore.restoreRefund(t.fence, paid[0]!)).toBe(true);
    expect(await readStatus(refund)).toBe('COMPLETED');
  });

  it('without an approval owes nothing to an event with its id', async () => {
    const refund = await requested();
    const args = { token: anAddress(), recipient: refund.payer, amount: '999' };
    const txHash = aHash();
    await t.mine(PARTNER, { events: [{ txHash, logIndex: 0, name: 'Refunded', operationId: refund.id, args }] });
    const judged = (await t.store.verdicts.unjudged(PARTNER, 100)).find(({ delivery }) => delivery.txHash === txHash);
    expect(judged?.owed).toBeNull();
  });
});
