import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { DelayReason } from '@causeway/protocol';
import type { Hex } from 'viem';
import { FenceLostError, IllegalTransitionError, type OperationTerms } from '../src/index.js';
import { aHash, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { aCall, delivering, wallet, useStore } from './temporary-store.js';
import { aBlock, aDelivery, aDeposit, aSignature, opening, paying } from '../src/test/rows.js';

const t = useStore();

/** Settles an operation by a transaction that is now on the destination chain. */
async function settle(terms: OperationTerms, txHash: Hex): Promise<boolean> {
  const block = await t.mine(PARTNER, { events: [paying(terms, txHash)] });
  return (await t.store.operations.settleAll(t.fence, [aDelivery(PARTNER, block)])).size === 1;
}

const isDue = async ({ id }: OperationTerms, at = new Date()) =>
  (await t.store.operations.findDue(PARTNER, 0n, at, 100)).some((each) => each.id === id);
const makeDelay = ({ id }: OperationTerms, nextAttemptAt: Date | null = null) => ({
  operationId: id,
  reason: 'DESTINATION_REVERTED' as const,
  nextAttemptAt,
});

async function confirming(): Promise<OperationTerms> {
  const terms = aDeposit();
  const number = (await t.store.scan.cursor(ETHEREUM))?.nextBlock ?? 0n;
  await t.store.scan.extend(t.fence, ETHEREUM, [aBlock(number, { events: [opening(terms)] })], number);
  return terms;
}

describe('record', () => {
  it('stores the call, its transaction and the status together', async () => {
    const [one, two] = [await t.due(), await t.due()];
    const call = (await t.record(one, two))!;
    expect(call).toMatchObject({ purpose: 'DELIVERY', state: 'PENDING', operationIds: [one.id, two.id] });
    for (const terms of [one, two]) {
      expect(await t.operation(terms)).toMatchObject({
        status: 'PROCESSING_DESTINATION',
        destinationTxHash: call.transactions[0]?.hash,
        attempts: 1,
      });
      expect(await t.readCall(terms)).toEqual(call);
    }
    expect(await t.store.journal.pending(wallet)).toContainEqual(call);
  });

  it('stores many calls atomically', async () => {
    const operations: OperationTerms[] = [];
    for (let count = 0; count < 8; count++) operations.push(await t.due());
    const first = await t.store.journal.nextNonce(wallet);
    const calls = operations.map((terms, index) => aCall(first + BigInt(index), delivering(terms)));
    const young = await confirming();
    const subject = delivering(young);
    const withOneTooMany = [...calls, aCall(first + 8n, subject)];
    expect(await t.store.journal.record(t.fence, wallet, withOneTooMany)).toEqual({
      kind: 'ended',
      subjects: [subject],
    });
    expect(await t.store.journal.nextNonce(wallet)).toBe(first);
    expect(await t.store.journal.record(t.fence, wallet, calls)).toEqual({ kind: 'recorded' });
    expect(await t.store.journal.nextNonce(wallet)).toBe(first + 8n);
  });

  it('assigns a nonce once, also to concurrent attempts', async () => {
    const [one, two] = [await t.due(), await t.due()];
    const nonce = await t.store.journal.nextNonce(wallet);
    const results = await Promise.all(
      [one, two].map((terms) => t.store.journal.record(t.fence, wallet, [aCall(nonce, delivering(terms))])),
    );
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(['nonce-used', 'recorded']);
  });

  it('records one of several concurrent attempts to pay an operation', async () => {
    const terms = await t.due();
    const first = await t.store.journal.nextNonce(wallet);
    const results = await Promise.all(
      [0n, 1n, 2n].map((step) => t.store.journal.record(t.fence, wallet, [aCall(first + step, delivering(terms))])),
    );
    expect(results.filter(({ kind }) => kind === 'recorded')).toHaveLength(1);
    expect(await t.record(terms)).toBeNull();
  });

  it('refuses an operation that is not due', async () => {
    expect(await t.record(await confirming())).toBeNull();
  });
});

describe('the end of a call', () => {
  it('settles the operation and the call by a replaced transaction that is mined', async () => {
    const terms = await t.due();
    const call = (await t.record(terms))!;
    const second = aSignature(call.nonce);
    expect(await t.store.journal.replace(t.fence, call, second, false)).toBe(true);
    expect((await t.operation(terms)).destinationTxHash).toBe(second.hash);
    const first = call.transactions[0]!.hash;
    expect(await settle(terms, first)).toBe(true);
    expect(await t.operation(terms)).toMatchObject({
      status: 'COMPLETED',
      settlement: { txHash: first, credited: false },
    });
    expect(await t.conclude(call, 'SUCCEEDED')).toBe(true);
    expect(await t.conclude(call, 'SUCCEEDED')).toBe(false);
    expect(await t.store.journal.replace(t.fence, call, aSignature(call.nonce), false)).toBe(false);
    expect(await t.store.journal.withNonce(wallet, call.nonce)).toMatchObject({
      state: 'SUCCEEDED',
      transactions: [{ hash: first }, { hash: second.hash }],
    });
    expect(await settle(terms, second.hash)).toBe(false);
  });

  it('delays its operations after a revert; they are due again later', async () => {
    const terms = await t.due();
    const call = (await t.record(terms))!;
    const later = new Date(Date.now() + 60_000);
    await t.conclude(call, 'REVERTED', [makeDelay(terms, later)]);
    expect(await t.operation(terms)).toMatchObject({ status: 'DELAYED', delayedReason: 'DESTINATION_REVERTED' });
    expect([await isDue(terms), await isDue(terms, later)]).toEqual([false, true]);
    const early = async (cause: DelayReason) =>
      (await t.store.operations.findDue(PARTNER, 0n, new Date(), 100, [cause])).some(({ id }) => id === terms.id);
    expect([await early('PAUSED'), await early('DESTINATION_REVERTED')]).toEqual([false, true]);
    expect(await t.store.journal.countReverted([terms.id])).toEqual(new Map([[terms.id, 1]]));
    expect((await t.record(terms))!.nonce > call.nonce).toBe(true);
    expect((await t.operation(terms)).status).toBe('PROCESSING_DESTINATION');
  });

  it('keeps the paid operations of a batch, and frees the skipped ones', async () => {
    const [paid, skipped] = [await t.due(), await t.due()];
    const call = (await t.record(paid, skipped))!;
    await t.conclude(call, 'SUCCEEDED', [makeDelay(skipped)]);
    // The Mint event of the first is not read yet. It stays with its call nevertheless.
    expect([await isDue(paid), await isDue(skipped)]).toEqual([false, true]);
    expect(await t.record(paid)).toBeNull();
    expect(await t.record(skipped)).not.toBeNull();
    expect(await settle(paid, call.transactions[0]!.hash)).toBe(true);
  });

  it('is refused for a block on another branch', async () => {
    const terms = await t.due();
    const call = (await t.record(terms))!;
    const { number } = await t.mine(PARTNER);
    const outcome = { state: 'SUCCEEDED' as const, txHash: aHash(), block: { number, hash: aHash() }, feePaid: 1n };
    expect(await t.store.journal.conclude(t.fence, call, outcome, [])).toBe(false);
    expect((await t.readCall(terms)).state).toBe('PENDING');
  });

  it('counts the fees of a day', async () => {
    const before = await t.store.journal.feesPaidSince(wallet, new Date(0));
    await t.conclude((await t.record(await t.due()))!, 'SUCCEEDED');
    expect(await t.store.journal.feesPaidSince(wallet, new Date(0))).toBe(before + 21_000n);
    expect(await t.store.journal.feesPaidSince(wallet, new Date(Date.now() + 1_000))).toBe(0n);
  });

  it('sums the fees since any time exactly, also after a reorg', async () => {
    const paid = async (since: Date) => t.store.journal.feesPaidSince(wallet, since);
    const exactly = async (since: Date) => {
      const { rows } = await t.sql.query<{ paid: string }>(
        'SELECT coalesce(sum(fee_paid), 0)::text AS paid FROM wallet_call WHERE chain_id = $1 AND sender = $2 AND ended_at >= $3',
        [wallet.chainId, wallet.address, since],
      );
      return BigInt(rows[0]?.paid ?? 0);
    };
    const minute = Math.floor(Date.now() / 60_000) * 60_000;
    const moments = [-90_000, -60_000, -59_999, -1, 0, 1, 59_999].map((ms) => new Date(minute + ms));
    for (const moment of moments) {
      const call = (await t.record(await t.due()))!;
      await t.sql.query(
        `UPDATE wallet_call SET state = 'REVERTED', tx_hash = 'x', block_number = 1, block_hash = 'x', fee_paid = 7, ended_at = $2
         WHERE id = $1`,
        [call.id, moment],
      );
    }
    for (const moment of moments) expect(await paid(moment)).toBe(await exactly(moment));
    expect(await t.store.journal.reopenLost(t.fence, wallet, 0n, 1n)).toBeGreaterThan(0);
    for (const moment of moments) expect(await paid(moment)).toBe(await exactly(moment));
  });

  it('sums the possible cost of the calls in flight', async () => {
    const nonce = await t.store.journal.nextNonce(wallet);
    expect(await t.store.journal.inFlight(wallet, nonce)).toEqual({ value: 0n, fees: 0n });
    const call = (await t.record(await t.due()))!;
    const [{ gas, maxFeePerGas } = { gas: 0n, maxFeePerGas: 0n }] = call.transactions;
    expect(await t.store.journal.inFlight(wallet, nonce)).toEqual({ value: 0n, fees: gas * maxFeePerGas });
    const dearer = { ...aSignature(nonce), hash: aHash(), maxFeePerGas: 3n * maxFeePerGas };
    expect(await t.store.journal.replace(t.fence, call, dearer, false)).toBe(true);
    expect(await t.store.journal.inFlight(wallet, nonce)).toEqual({ value: 0n, fees: 3n * dearer.gas * maxFeePerGas });
    await t.conclude(call, 'SUCCEEDED');
    // A block without the nonce has not paid it, whatever the call's later outcome.
    expect(await t.store.journal.inFlight(wallet, nonce)).toMatchObject({ fees: 3n * dearer.gas * maxFeePerGas });
    expect(await t.store.journal.inFlight(wallet, nonce + 1n)).toEqual({ value: 0n, fees: 0n });
  });

  it('keeps each reason of a delay, with its times', async () => {
    const terms = await t.due();
    const delay = async (reason: 'FLOAT_SHORT' | 'PAUSED') =>
      t.store.operations.delayAll(t.fence, [{ operationId: terms.id, reason, nextAttemptAt: new Date(0) }]);
    await delay('FLOAT_SHORT');
    await delay('FLOAT_SHORT');
    await sleep(2);
    await delay('PAUSED');
    await sleep(2);
    const call = (await t.record(terms))!;
    const delays = await t.store.related.delays(terms.id);
    expect(delays).toEqual([
      { reason: 'FLOAT_SHORT', since: expect.any(Date), endedAt: delays[1]?.since },
      { reason: 'PAUSED', since: expect.any(Date), endedAt: expect.any(Date) },
    ]);
    expect(call.operationIds).toEqual([terms.id]);
  });

  it('delays the operation while no node accepts its transaction', async () => {
    const terms = await t.due();
    const call = (await t.record(terms))!;
    await t.store.journal.delayPending(t.fence, call, 'FLOAT_SHORT');
    expect((await t.operation(terms)).status).toBe('DELAYED');
    // It stays in its call, so no other call is signed for it.
    expect(await isDue(terms)).toBe(false);
    const { hash } = call.transactions[0]!;
    await t.store.journal.markBroadcast(t.fence, call, hash);
    expect(await t.operation(terms)).toMatchObject({
      status: 'PROCESSING_DESTINATION',
      destinationTxHash: hash,
      delayedReason: null,
    });
  });

  it('completes the operation by a delivery that the journal lacks', async () => {
    const terms = await t.due();
    expect(await settle(terms, aSignature(0n).hash)).toBe(true);
    expect((await t.operation(terms)).status).toBe('COMPLETED');
  });

  it('does not settle an operation that waits for confirmations', async () => {
    const terms = await confirming();
    expect(await settle(terms, aSignature(0n).hash)).toBe(false);
    expect((await t.operation(terms)).status).toBe('CONFIRMING');
  });

  it('describes an illegal step', () => {
    expect(new IllegalTransitionError('0x1', 'COMPLETED', 'DELAYED').message).toBe(
      'Operation 0x1 cannot go from COMPLETED to DELAYED',
    );
  });
});

describe('a cancelled call', () => {
  it('delays its operations until it has ended, and accepts only cancellations', async () => {
    const terms = await t.due();
    const delivery = (await t.record(terms))!;
    expect(await t.store.journal.cancel(null, delivery)).toBe(true);
    expect(await t.store.journal.cancel(null, delivery)).toBe(false);
    expect(await t.operation(terms)).toMatchObject({ status: 'DELAYED', delayedReason: 'DELIVERY_CANCELLED' });
    expect(await isDue(terms)).toBe(false);
    const call = await t.readCall(terms);
    expect(await t.store.journal.replace(t.fence, call, aSignature(call.nonce), false)).toBe(false);
    const cancellation = aSignature(call.nonce);
    expect(await t.store.journal.replace(t.fence, call, cancellation, true)).toBe(true);
    expect(await t.operation(terms)).toMatchObject({
      status: 'DELAYED',
      destinationTxHash: delivery.transactions[0]?.hash,
    });
    const later = new Date(Date.now() + 60_000);
    expect(await t.conclude(await t.readCall(terms), 'CANCELLED', [makeDelay(terms, later)])).toBe(true);
    expect([await isDue(terms), await isDue(terms, later)]).toEqual([false, true]);
    expect((await t.record(terms))!.nonce > delivery.nonce).toBe(true);
  });

  it('completes its operation if the delivery is mined nevertheless', async () => {
    const terms = await t.due();
    const call = (await t.record(terms))!;
    await t.store.journal.cancel(null, call);
    expect(await settle(terms, call.transactions[0]!.hash)).toBe(true);
    expect(await t.conclude(call, 'SUCCEEDED')).toBe(true);
    expect(await t.operation(terms)).toMatchObject({ status: 'COMPLETED' });
  });

  it('is not replaced from a state before another replacement', async () => {
    const terms = await t.due();
    const seen = (await t.record(terms))!;
    expect(await t.store.journal.replace(t.fence, seen, aSignature(seen.nonce), false)).toBe(true);
    expect(await t.store.journal.replace(t.fence, seen, aSignature(seen.nonce), false)).toBe(false);
  });
});

describe('a call whose transaction a reorg removed', () => {
  it('is reopened; a call that did not pay is cancelled', async () => {
    const [paid, reverted] = [await t.due(), await t.due()];
    const [one, two] = [(await t.record(paid))!, (await t.record(reverted))!];
    await settle(paid, one.transactions[0]!.hash);
    await t.conclude(one, 'SUCCEEDED');
    await t.conclude(two, 'REVERTED', [makeDelay(reverted)]);
    const head = (await t.store.scan.latestBlock(PARTNER))!.number;
    // A node below their blocks proves nothing.
    expect(await t.store.journal.reopenLost(t.fence, wallet, one.nonce, head - 2n)).toBe(0);
    expect(await t.store.journal.reopenLost(t.fence, wallet, two.nonce + 1n, head)).toBe(0);
    expect(await t.store.journal.reopenLost(t.fence, wallet, one.nonce, head)).toBe(2);
    const pending = await t.store.journal.pending(wallet);
    expect(pending.find(({ id }) => id === one.id)).toMatchObject({ isCancelled: false, operationIds: [paid.id] });
    expect(pending.find(({ id }) => id === two.id)).toMatchObject({ isCancelled: true });
    // The second call's operation is free for another call.
    expect(await t.record(reverted)).not.toBeNull();
    expect(await t.conclude(one, 'SUCCEEDED')).toBe(true);
    expect((await t.operation(paid)).status).toBe('COMPLETED');
  });
});

describe('the invariants of the database', () => {
  it('make signed calls immutable', async () => {
    const { id } = (await t.record(await t.due()))!;
    await expect(t.sql.query(`UPDATE wallet_call SET data = '0x02' WHERE id = $1`, [id])).rejects.toThrow(
      /journal is immutable/,
    );
    await expect(t.sql.query('DELETE FROM signed_transaction WHERE call_id = $1', [id])).rejects.toThrow(
      /journal is immutable/,
    );
    await expect(t.sql.query('DELETE FROM call_operation WHERE call_id = $1', [id])).rejects.toThrow(/join or leave/);
  });

  it('refuse an operation in two live calls, and a completed one in another', async () => {
    const terms = await t.due();
    const call = (await t.record(terms))!;
    const { id: other } = (await t.record(await t.due()))!;
    const join = () => t.sql.query('INSERT INTO call_operation VALUES ($1, $2, 1)', [other, terms.id]);
    await expect(join()).rejects.toThrow(/call_operation_live/);
    const free = t.sql.query('UPDATE call_operation SET freed_at = now() WHERE call_id = $1', [call.id]);
    await expect(free).rejects.toThrow(/join or leave/);
    await settle(terms, call.transactions[0]!.hash);
    await expect(join()).rejects.toThrow(/join or leave/);
  });

  it('refuse a second call with a nonce, and undoing a cancellation', async () => {
    const call = (await t.record(await t.due()))!;
    const again = t.sql.query(
      `INSERT INTO wallet_call (chain_id, sender, nonce, "to", data, value, purpose) VALUES ($1, $2, $3, '0x', '0x', 0, 'NONCE_GAP')`,
      [PARTNER, wallet.address, call.nonce],
    );
    await expect(again).rejects.toThrow(/chain_id_sender_nonce/);
    await t.store.journal.cancel(null, call);
    const revive = t.sql.query('UPDATE wallet_call SET cancelled_at = NULL WHERE id = $1', [call.id]);
    await expect(revive).rejects.toThrow(/journal is immutable/);
  });
});

describe('the lease', () => {
  it('has one holder, which renews it under the same token', async () => {
    const lease = await t.store.lease.acquire('one', 'a', 60_000);
    expect(lease).toEqual({ name: 'one', token: 1n });
    expect(await t.store.lease.acquire('one', 'b', 60_000)).toBeNull();
    expect(await t.store.lease.acquire('one', 'a', 60_000)).toEqual(lease);
    expect(await t.store.lease.isHeld('one')).toBe(true);
    await t.store.lease.release(lease!);
    expect(await t.store.lease.isHeld('one')).toBe(false);
    expect(await t.store.lease.acquire('one', 'b', 60_000)).toEqual({ name: 'one', token: 2n });
  });

  it('rejects writes of an old holder after a takeover', async () => {
    const terms = await t.due();
    const old = await t.store.lease.acquire('two', 'a', 0);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const current = await t.store.lease.acquire('two', 'b', 60_000);
    expect(current?.token).toBe(old!.token + 1n);
    const call = aCall(await t.store.journal.nextNonce(wallet), delivering(terms));
    await expect(t.store.journal.record(old!, wallet, [call])).rejects.toThrow(FenceLostError);
    expect((await t.operation(terms)).status).toBe('AWAITING_RELAY');
  });
});
