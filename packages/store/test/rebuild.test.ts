import { describe, expect, it } from '@jest/globals';
import { intentNonceHash } from '@causeway/protocol';
import { migrate, openStore, type OperationTerms, type ScannedBlock } from '../src/index.js';
import { aHash, anAddress, ETHEREUM, PARTNER, temporaryDatabase } from '@causeway/test-kit';
import { useStore } from './temporary-store.js';
import {
  aBurn,
  aDeposit,
  aDelivery,
  anIntent,
  aTransfer,
  opening,
  paying,
  reopening,
  CLIENT,
} from '../src/test/rows.js';

const t = useStore();

/** The release of an intent that the database lacks, with a transfer that may have paid it. */
async function released(over: Partial<OperationTerms> = {}) {
  const terms = anIntent(over);
  const paid = aTransfer({ payer: terms.sender, amount: terms.amount });
  const block = await t.mine(PARTNER, { transfers: [paid] });
  const { recipient, outputAmount, fee } = terms;
  const args = { recipient, token: anAddress(), amount: outputAmount.toString(), fee: fee.toString() };
  const delivery = await t.mine(ETHEREUM, { events: [{ ...paying(terms), args }] });
  const [payment] = await t.store.restore.unboundPayments(PARTNER, terms.sender, terms.amount);
  return { terms, payment: payment!, block, delivery };
}

const signed = {
  nonceHash: intentNonceHash('n'),
  deadlineSeconds: 2_000_000_000n,
  signature: '0x01',
  expiresAt: new Date(2_000_000_000_000),
} as const;

describe('a released intent', () => {
  it("is found, and restored with its transfer and the transfer's time", async () => {
    const { terms, payment, block } = await released();
    const found = (await t.store.restore.unknownReleases(null)).find(({ operationId }) => operationId === terms.id);
    expect(await t.store.restore.countUnknownReleases()).toBe((await t.store.restore.unknownReleases(null)).length);
    expect(await t.store.restore.unknownReleases(found!)).not.toContainEqual(found);
    expect(found).toMatchObject({ recipient: terms.recipient, outputAmount: terms.outputAmount, fee: terms.fee });
    expect(await t.store.restore.restoreIntent(t.fence, { terms, payment, ...signed })).toBe(true);
    const operation = await t.operation(terms);
    expect(operation).toMatchObject({ status: 'CONFIRMING', createdAt: block.timestamp });
    expect(operation.origin).toMatchObject({ txHash: payment.key.txHash, blockNumber: block.number });
    expect(await t.store.intents.find(terms.id)).toMatchObject({ nonce: null, idempotencyKey: null, ...signed });
    const { operations } = await t.store.history.page({ address: terms.sender, direction: null, limit: 9, offset: 0 });
    expect(operations.map(({ id }) => id)).toEqual([terms.id]);
    const left = await t.store.restore.unknownReleases(null);
    expect(left.map(({ operationId }) => operationId)).not.toContain(terms.id);
  });

  it('is the last one, if its id was reopened', async () => {
    const { terms, delivery } = await released();
    const args = { ...delivery.events[0]!.args, fee: '7' };
    await t.mine(ETHEREUM, { events: [{ ...paying(terms), args }] });
    const found = (await t.store.restore.unknownReleases(null)).filter(({ operationId }) => operationId === terms.id);
    expect(found).toMatchObject([{ fee: 7n }]);
  });

  it('is not restored twice, nor with a transfer that pays another intent; nothing is stored then', async () => {
    const { terms, payment } = await released();
    expect(await t.store.restore.restoreIntent(t.fence, { terms, payment, ...signed })).toBe(true);
    expect(await t.store.restore.restoreIntent(t.fence, { terms, payment, ...signed })).toBe(false);
    const other = anIntent({ sender: terms.sender });
    const nonceHash = aHash();
    expect(await t.store.restore.restoreIntent(t.fence, { terms: other, payment, ...signed, nonceHash })).toBe(false);
    expect(await t.store.operations.findById(other.id)).toBeNull();
  });

  it('is returned when a client sends it again with any key, and its nonce is used', async () => {
    const { terms, payment } = await released();
    await t.store.restore.restoreIntent(t.fence, { terms, payment, ...signed });
    const { id, sender } = terms;
    const again = { id, sender, nonce: 'n', idempotencyKey: aHash(), ...CLIENT, ...signed };
    expect(await t.store.intents.register(terms, again)).toBe(false);
    const other = anIntent({ sender, recipient: terms.recipient });
    await expect(t.store.intents.register(other, { ...again, id: other.id })).rejects.toThrow(/nonce was used/);
  });
});

/** A completed burn. */
async function burnt(amount: bigint): Promise<OperationTerms> {
  const terms = aBurn({ asset: 'ETH', amount, outputAmount: amount - 10n });
  await t.due(terms);
  const { recipient, outputAmount } = terms;
  const block = await t.mine(ETHEREUM, {
    events: [{ ...paying(terms), args: { recipient, amount: outputAmount.toString() } }],
  });
  expect((await t.store.operations.settleAll(t.fence, [aDelivery(ETHEREUM, block)])).size).toBe(1);
  return terms;
}

describe('a retirement', () => {
  it('is restored with its burns, once', async () => {
    const burns = [await burnt(100n), await burnt(200n)];
    const parts = await t.store.restore.completedBurns(PARTNER, 'ETH', 9);
    expect(parts).toMatchObject(burns.map(({ id, amount }) => ({ operationId: id, amount })));
    const at = new Date(1_900_000_000_000);
    const retirement = {
      chainId: PARTNER,
      amount: 300n,
      operationIds: burns.map(({ id }) => id),
      at,
      txHashes: [aHash()],
    };
    expect(await t.store.restore.restoreRetirement(t.fence, 'ETH', retirement)).toBe(true);
    expect(await t.store.restore.restoreRetirement(t.fence, 'ETH', retirement)).toBe(false);
    expect(await t.store.restore.completedBurns(PARTNER, 'ETH', 9)).toEqual([]);
    const [txHash] = retirement.txHashes;
    expect(await t.store.restore.knownRetirements(PARTNER, [txHash!, aHash()])).toEqual(new Set([txHash]));
    expect(await t.store.retirements.findWaiting(PARTNER, 'ETH')).toBeNull();
    const { rows } = await t.sql.query(`SELECT amount, state, ended_at FROM retirement WHERE asset = 'ETH'`);
    expect(rows).toEqual([{ amount: '300', state: 'CONFIRMED', ended_at: at }]);
  });

  it('with another amount than its burns is refused by the database', async () => {
    const { id } = await burnt(100n);
    const retirement = { chainId: PARTNER, amount: 99n, operationIds: [id], at: new Date(), txHashes: [aHash()] };
    await expect(t.store.restore.restoreRetirement(t.fence, 'ETH', retirement)).rejects.toThrow(/has the amount 99/);
  });
});

describe('a sweep', () => {
  it('is restored with its transfers, once', async () => {
    const { terms, payment, block } = await released();
    await t.store.restore.restoreIntent(t.fence, { terms, payment, ...signed, nonceHash: aHash() });
    await t.finalize(terms, block);
    const unswept = await t.store.sweeps.findUnswept({ chainId: PARTNER, address: anAddress() }, [], null);
    expect(unswept).toContainEqual(expect.objectContaining({ operationId: terms.id, amount: terms.amount }));
    const sweep = { chainId: PARTNER, amount: 1n, operationIds: [terms.id], at: new Date() };
    expect(await t.store.restore.restoreSweep(t.fence, sweep)).toBe(true);
    expect(await t.store.restore.restoreSweep(t.fence, sweep)).toBe(false);
    const { rows } = await t.sql.query('SELECT amount, state FROM sweep');
    expect(rows).toEqual([{ amount: '1', state: 'CONFIRMED' }]);
  });
});

describe('countUnsettled', () => {
  it('counts final origins, and final deliveries until they settle or use up a number', async () => {
    const terms = aDeposit();
    const origin = await t.mine(ETHEREUM, { events: [opening(terms)] });
    const before = await t.store.rebuild.countUnsettled(ETHEREUM, origin.number - 1n);
    const final = () => t.store.rebuild.countUnsettled(ETHEREUM, origin.number);
    expect((await final()).origins).toBe(before.origins + 1);
    const seen = { blockHash: origin.hash, confirmations: 12, finalizedAt: origin.timestamp };
    const held = { operationId: terms.id, ...seen, holdUntil: origin.timestamp };
    expect((await t.store.operations.finalizeAll(t.fence, [held])).size).toBe(1);
    expect((await final()).origins).toBe(before.origins);
    const deliveries = async (until: ScannedBlock) =>
      (await t.store.rebuild.countUnsettled(PARTNER, until.number)).deliveries;
    const nothing = await deliveries(await t.mine(PARTNER));
    const other = await t.due();
    const right = await t.mine(PARTNER, { events: [paying(terms)] });
    const wrong = await t.mine(PARTNER, { events: [paying(other)] });
    expect([await deliveries(right), await deliveries(wrong)]).toEqual([nothing + 1, nothing + 2]);
    await t.store.operations.settleAll(t.fence, [aDelivery(PARTNER, right)]);
    await t.store.operations.delayUsedUp(t.fence, [aDelivery(PARTNER, wrong)]);
    expect(await deliveries(wrong)).toBe(nothing);
  });

  it('leaves out a delivery whose number was reopened, because its operation is due', async () => {
    const terms = await t.due();
    await t.mine(PARTNER, { events: [paying(terms)] });
    const deliveries = async ({ number }: ScannedBlock) =>
      (await t.store.rebuild.countUnsettled(PARTNER, number)).deliveries;
    const before = await deliveries(await t.mine(PARTNER));
    expect(await deliveries(await t.mine(PARTNER, { events: [reopening(terms)] }))).toBe(before - 1);
  });
});

describe('countConfirmations', () => {
  it('updates waiting operations, but not the many with far more than the required number', async () => {
    const [old, young] = [aDeposit({ requiredConfirmations: 5 }), aDeposit({ requiredConfirmations: 5 })];
    const first = await t.mine(ETHEREUM, { events: [opening(old)] });
    for (let block = 0; block < 10; block++) await t.mine(ETHEREUM);
    await t.mine(ETHEREUM, { events: [opening(young)] });
    await t.store.operations.countConfirmations(t.fence, ETHEREUM, first.number + 13n);
    expect((await t.operation(young)).originConfirmations).toBe(3);
    expect((await t.operation(old)).originConfirmations).toBe(1);
  });
});

describe('the histories', () => {
  it('are sorted by the start time of operations, and numbered without gaps', async () => {
    const address = anAddress();
    const mine = async (terms: OperationTerms, seconds: number) =>
      t.mine(terms.originChainId, { events: [opening(terms)], timestamp: new Date(seconds * 1000) });
    const [old, young] = [aDeposit({ recipient: address }), aDeposit({ recipient: address })];
    const between = aBurn({ recipient: address });
    await mine(old, 1_000);
    await mine(young, 3_000);
    // The other chain is read later.
    await mine(between, 2_000);
    for (let last: string | null = ''; last !== null;) last = await t.store.rebuild.sortHistories(t.fence, last);
    const page = async (direction: null | 'ETHEREUM_TO_PARTNER') =>
      (await t.store.history.page({ address, direction, limit: 9, offset: 0 })).operations.map(({ id }) => id);
    expect(await page(null)).toEqual([young.id, between.id, old.id]);
    expect(await page('ETHEREUM_TO_PARTNER')).toEqual([young.id, old.id]);
    // New operations continue the numbers.
    const next = aDeposit({ sender: address });
    await mine(next, 4_000);
    expect((await page(null))[0]).toBe(next.id);
  });
});

describe('the state of a database', () => {
  it('is empty, unfinished during a rebuild, and used after it', async () => {
    const database = await temporaryDatabase(migrate);
    const store = openStore({ databaseUrl: database.url, onIdleError: () => undefined });
    expect(await store.rebuild.state()).toBe('empty');
    const fence = (await store.lease.acquire('relayer', 'test', 60_000))!;
    await store.rebuild.begin(fence);
    await store.rebuild.begin(fence);
    expect(await store.rebuild.state()).toBe('unfinished');
    await store.rebuild.finish(fence, []);
    expect(await store.rebuild.state()).toBe('used');
    await store.close();
    await database.stop();
  });

  it('is `used` once a relayer has begun to read', async () => {
    expect(await t.store.rebuild.state()).toBe('used');
  });
});
