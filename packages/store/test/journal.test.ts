import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Hex } from 'viem';
import { FenceLostError, IllegalTransitionError, OperationNotDueError, type OperationTerms } from '../src/index.js';
import { aBlock, aDelivery, aDeposit, aSignature, ETHEREUM, opening, PARTNER, paying } from '@causeway/test-kit';
import { temporaryStore, wallet, type TemporaryStore } from './temporary-store.js';

let t: TemporaryStore;

beforeAll(async () => {
  t = await temporaryStore();
});
afterAll(async () => t.close());

/** Settles an operation by a transaction that the destination chain shows now. */
async function settle(terms: OperationTerms, txHash: Hex): Promise<boolean> {
  const block = await t.mine(PARTNER, { events: [paying(terms, txHash)] });
  return t.store.operations.settle(t.fence, aDelivery(PARTNER, block));
}

describe('record', () => {
  it('stores the transaction and the status together', async () => {
    const terms = await t.due();
    const signed = await t.record(terms);
    expect(await t.operation(terms)).toMatchObject({
      status: 'PROCESSING_DESTINATION',
      destinationTxHash: signed?.hash,
      attempts: 1,
    });
    expect(await t.entryOf(terms)).toMatchObject({ hash: signed?.hash, raw: '0x02', state: 'PENDING' });
  });

  it('gives every transaction its own nonce, without gaps, also in parallel', async () => {
    const operations: OperationTerms[] = [];
    for (let count = 0; count < 8; count++) operations.push(await t.due());
    const signed = await Promise.all(operations.map((terms) => t.record(terms)));
    const nonces = signed.map((each) => Number(each?.nonce)).toSorted((a, b) => a - b);
    const [first = 0] = nonces;
    expect(nonces).toEqual(nonces.map((_, index) => first + index));
  });

  it('pays an operation once: of parallel attempts one is recorded', async () => {
    const terms = await t.due();
    const results = await Promise.allSettled([t.record(terms), t.record(terms), t.record(terms)]);
    const recorded = results.filter((result) => result.status === 'fulfilled' && result.value !== null);
    expect(recorded).toHaveLength(1);
    expect(await t.store.journal.withNonce(wallet, (await t.entryOf(terms)).nonce)).toHaveLength(1);
  });

  it('releases the nonce when the operation is not due', async () => {
    const terms = aDeposit();
    const number = (await t.store.scan.cursor(ETHEREUM))?.nextBlock ?? 0n;
    await t.store.scan.extend(t.fence, ETHEREUM, [aBlock(number, { events: [opening(terms)] })], number);
    const before = (await t.record(await t.due()))?.nonce ?? 0n;
    await expect(t.record(terms)).rejects.toThrow(OperationNotDueError);
    expect((await t.record(await t.due()))?.nonce).toBe(before + 1n);
  });

  it('releases the nonce when signing fails, and leaves the operation due', async () => {
    const terms = await t.due();
    const before = (await t.record(await t.due()))?.nonce ?? 0n;
    const broken = t.store.journal.record(t.fence, terms.id, wallet, 0n, () =>
      Promise.reject(new Error('the KMS is down')),
    );
    await expect(broken).rejects.toThrow('the KMS is down');
    expect((await t.operation(terms)).status).toBe('AWAITING_RELAY');
    expect((await t.record(terms))?.nonce).toBe(before + 1n);
  });

  it('never goes below the nonce of the chain', async () => {
    expect((await t.record(await t.due(), 1_000n))?.nonce).toBe(1_000n);
    expect((await t.record(await t.due(), 5n))?.nonce).toBe(1_001n);
  });
});

describe('the outcome of a transaction', () => {
  it('a replaced one that is mined settles the operation, and its replacement is marked replaced', async () => {
    const terms = await t.due();
    const first = (await t.record(terms))!;
    const entry = await t.entryOf(terms);
    const second = aSignature(entry.nonce);
    await t.store.journal.replace(t.fence, entry, second);
    expect((await t.operation(terms)).destinationTxHash).toBe(second.hash);
    expect(await settle(terms, first.hash)).toBe(true);
    expect(await t.operation(terms)).toMatchObject({
      status: 'COMPLETED',
      settlement: { txHash: first.hash, credited: false },
    });
    const states = (await t.store.journal.withNonce(wallet, entry.nonce)).map(({ hash, state }) => [hash, state]);
    expect(new Map(states as [string, string][])).toEqual(
      new Map([
        [first.hash, 'CONFIRMED'],
        [second.hash, 'REPLACED'],
      ]),
    );
    expect(await settle(terms, second.hash)).toBe(false);
  });

  it('a reverted one delays the operation, which is due again later under a new nonce', async () => {
    const terms = await t.due();
    const first = (await t.record(terms))!;
    const later = new Date(Date.now() + 60_000);
    await t.store.journal.revert(t.fence, await t.entryOf(terms), 'DESTINATION_REVERTED', later);
    expect(await t.operation(terms)).toMatchObject({ status: 'DELAYED', delayedReason: 'DESTINATION_REVERTED' });
    const isDue = async (at: Date) =>
      (await t.store.operations.findDue(PARTNER, at, 100)).some(({ id }) => id === terms.id);
    expect(await isDue(new Date())).toBe(false);
    expect(await isDue(later)).toBe(true);
    const second = (await t.record(terms))!;
    expect(second.nonce > first.nonce).toBe(true);
    expect((await t.operation(terms)).status).toBe('PROCESSING_DESTINATION');
  });

  it('one that keeps reverting is due again only when an operator retries it', async () => {
    const terms = await t.due();
    await t.record(terms);
    expect(await t.store.operations.retry(terms.id)).toBe(false);
    await t.store.journal.revert(t.fence, await t.entryOf(terms), 'KEEPS_REVERTING', null);
    expect(await t.store.journal.countReverted(terms.id)).toBe(1);
    const isDue = async () =>
      (await t.store.operations.findDue(PARTNER, new Date(8e15), 100)).some(({ id }) => id === terms.id);
    expect(await isDue()).toBe(false);
    expect(await t.operation(terms)).toMatchObject({ status: 'DELAYED', delayedReason: 'KEEPS_REVERTING' });
    expect(await t.store.operations.retry(terms.id)).toBe(true);
    expect(await isDue()).toBe(true);
    expect(await t.record(terms)).not.toBeNull();
  });

  it('one whose broadcast failed delays the operation until it is broadcast', async () => {
    const terms = await t.due();
    const { hash } = (await t.record(terms))!;
    await t.store.operations.delay(t.fence, terms.id, 'FLOAT_SHORT', new Date());
    expect((await t.operation(terms)).status).toBe('DELAYED');
    // It stays in the journal, so no other one is signed for the same operation.
    expect((await t.store.operations.findDue(PARTNER, new Date(), 100)).map(({ id }) => id)).not.toContain(terms.id);
    await t.store.journal.markBroadcast(t.fence, await t.entryOf(terms));
    expect(await t.operation(terms)).toMatchObject({
      status: 'PROCESSING_DESTINATION',
      destinationTxHash: hash,
      delayedReason: null,
    });
  });

  it('a delivery that the journal does not contain completes the operation too', async () => {
    const terms = await t.due();
    expect(await settle(terms, aSignature(0n).hash)).toBe(true);
    expect((await t.operation(terms)).status).toBe('COMPLETED');
  });

  it('an operation that waits for confirmations cannot be settled', async () => {
    const terms = aDeposit();
    const number = (await t.store.scan.cursor(ETHEREUM))?.nextBlock ?? 0n;
    await t.store.scan.extend(t.fence, ETHEREUM, [aBlock(number, { events: [opening(terms)] })], number);
    expect(await settle(terms, aSignature(0n).hash)).toBe(false);
    expect((await t.operation(terms)).status).toBe('CONFIRMING');
  });

  it('describes an illegal step', () => {
    expect(new IllegalTransitionError('0x1', 'COMPLETED', 'DELAYED').message).toBe(
      'Operation 0x1 cannot go from COMPLETED to DELAYED',
    );
  });
});

describe('the cancellation of a delivery', () => {
  async function cancelled() {
    const terms = await t.due();
    const delivery = (await t.record(terms))!;
    const cancellation = aSignature(delivery.nonce);
    expect(await t.store.journal.cancel(await t.entryOf(terms), cancellation)).toBe(true);
    return { terms, delivery, cancellation };
  }
  const states = async (nonce: bigint) =>
    Object.fromEntries((await t.store.journal.withNonce(wallet, nonce)).map(({ hash, state }) => [hash, state]));
  const isDue = async ({ id }: OperationTerms, at = new Date()) =>
    (await t.store.operations.findDue(PARTNER, at, 100)).some((each) => each.id === id);

  it('delays the operation, which is not due before the cancellation is final', async () => {
    const { terms, delivery, cancellation } = await cancelled();
    expect(await t.operation(terms)).toMatchObject({ status: 'DELAYED', delayedReason: 'DELIVERY_CANCELLED' });
    expect(await isDue(terms)).toBe(false);
    expect(await t.record(terms)).toBeNull();
    const later = new Date(Date.now() + 60_000);
    const entry = await t.entryOf(terms);
    expect(await t.store.journal.concludeCancellation(t.fence, entry, cancellation.hash, later)).toBe(true);
    expect(await t.store.journal.concludeCancellation(t.fence, entry, cancellation.hash, later)).toBe(false);
    expect(await states(delivery.nonce)).toEqual({ [delivery.hash]: 'REPLACED', [cancellation.hash]: 'CONFIRMED' });
    expect(await isDue(terms)).toBe(false);
    expect(await isDue(terms, later)).toBe(true);
    expect((await t.record(terms))!.nonce > delivery.nonce).toBe(true);
  });

  it('is replaced with higher fees as a cancellation, and concluded by the mined one of both', async () => {
    const { terms, delivery, cancellation } = await cancelled();
    const dearer = aSignature(delivery.nonce);
    expect(await t.store.journal.replace(t.fence, await t.entryOf(terms), dearer)).toBe(true);
    const entry = await t.entryOf(terms);
    expect(entry).toMatchObject({ hash: dearer.hash, purpose: 'CANCELLATION' });
    expect(await t.operation(terms)).toMatchObject({ status: 'DELAYED', destinationTxHash: delivery.hash });
    await t.store.journal.concludeCancellation(t.fence, entry, cancellation.hash, new Date());
    expect(await states(delivery.nonce)).toMatchObject({ [dearer.hash]: 'REPLACED', [cancellation.hash]: 'CONFIRMED' });
  });

  it('is marked replaced when the delivery was mined, which completes the operation', async () => {
    const { terms, delivery, cancellation } = await cancelled();
    expect(await settle(terms, delivery.hash)).toBe(true);
    expect(await t.operation(terms)).toMatchObject({ status: 'COMPLETED', destinationTxHash: delivery.hash });
    expect(await states(delivery.nonce)).toEqual({ [delivery.hash]: 'CONFIRMED', [cancellation.hash]: 'REPLACED' });
  });

  it('is refused when the delivery was replaced before', async () => {
    const terms = await t.due();
    await t.record(terms);
    const seen = await t.entryOf(terms);
    await t.store.journal.replace(t.fence, seen, aSignature(seen.nonce));
    expect(await t.store.journal.cancel(seen, aSignature(seen.nonce))).toBe(false);
    expect(await t.entryOf(terms)).toMatchObject({ purpose: 'DELIVERY' });
  });

  it('uses only the nonce of the delivery', async () => {
    const terms = await t.due();
    const { nonce } = (await t.record(terms))!;
    await expect(t.store.journal.cancel(await t.entryOf(terms), aSignature(nonce + 1n))).rejects.toThrow(
      /does not replace/,
    );
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

  it('an old holder writes nothing after another one took the lease', async () => {
    const terms = await t.due();
    const old = await t.store.lease.acquire('two', 'a', 0);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const current = await t.store.lease.acquire('two', 'b', 60_000);
    expect(current?.token).toBe(old!.token + 1n);
    const write = t.store.journal.record(old!, terms.id, wallet, 0n, (nonce) => Promise.resolve(aSignature(nonce)));
    await expect(write).rejects.toThrow(FenceLostError);
    expect((await t.operation(terms)).status).toBe('AWAITING_RELAY');
  });
});
