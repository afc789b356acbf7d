import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OperationTerms, TransferKey } from '../src/index.js';
import { aBlock, aHash, anAddress, anIntent, PARTNER, aTransfer } from '@causeway/test-kit';
import { temporaryStore, type TemporaryStore } from './temporary-store.js';

const NOW = 1_800_000_000_000;
let t: TemporaryStore;

beforeAll(async () => {
  t = await temporaryStore();
});
afterAll(async () => t.close());

async function register(
  terms: OperationTerms,
  over: { nonce?: string; key?: string; expiresAt?: Date } = {},
): Promise<boolean> {
  return t.store.intents.register(terms, {
    id: terms.id,
    sender: terms.sender,
    nonce: over.nonce ?? aHash(),
    idempotencyKey: over.key ?? aHash(),
    deadlineSeconds: BigInt(NOW / 1000 + 1_800),
    signature: '0x01',
    expiresAt: over.expiresAt ?? new Date(NOW + 1_800_000),
  });
}

/** A transfer in a block of its own, mined at a time. */
async function transfer(
  payer: OperationTerms['sender'],
  amount: bigint,
  minedAt = new Date(NOW),
): Promise<TransferKey> {
  const paid = aTransfer({ payer, amount });
  await t.mine(PARTNER, { transfers: [paid], timestamp: minedAt });
  return { chainId: PARTNER, txHash: paid.txHash, asset: 'XCN', callIndex: 0 };
}

const status = async ({ id }: OperationTerms) => (await t.store.operations.findById(id))?.status;
const candidatesOf = async ({ txHash }: TransferKey) =>
  (await t.store.intents.findUnbound(PARTNER)).find(({ key }) => key.txHash === txHash)?.candidates;

describe('register', () => {
  it('stores an intent and its operation', async () => {
    const terms = anIntent();
    expect(await register(terms, { key: 'k' })).toBe(true);
    expect(await status(terms)).toBe('PENDING_ORIGIN_TX');
    expect((await t.store.intents.findByKey(terms.sender, 'k'))?.id).toBe(terms.id);
  });

  it('of the same intent in parallel stores one and returns false for the others', async () => {
    const terms = anIntent();
    const results = await Promise.all([1, 2, 3, 4].map(() => register(terms, { key: 'k', nonce: 'n' })));
    expect(results.filter(Boolean)).toHaveLength(1);
  });

  it('refuses a key or a nonce of another intent of the same sender, naming it; other senders may use them', async () => {
    const sender = anAddress();
    await register(anIntent({ sender }), { key: 'k', nonce: 'n' });
    const refusal = (field: string) => expect.objectContaining({ code: 'VALIDATION_ERROR', field });
    await expect(register(anIntent({ sender }), { key: 'k' })).rejects.toEqual(refusal('idempotencyKey'));
    await expect(register(anIntent({ sender }), { nonce: 'n' })).rejects.toEqual(refusal('nonce'));
    expect(await register(anIntent(), { key: 'k', nonce: 'n' })).toBe(true);
  });
});

describe('binding', () => {
  it('binds a transfer to the intent of its payer and amount', async () => {
    const terms = anIntent();
    await register(terms);
    const key = await transfer(terms.sender, terms.amount);
    expect(await candidatesOf(key)).toEqual([{ id: terms.id, proposed: false }]);
    expect(await t.store.intents.bind(t.fence, key, terms.id)).toBe(true);
    expect(await t.store.operations.findById(terms.id)).toMatchObject({
      status: 'CONFIRMING',
      origin: { txHash: key.txHash },
    });
    expect(await candidatesOf(key)).toBeUndefined();
  });

  it.each<[string, (terms: OperationTerms) => Promise<TransferKey>]>([
    ['of another payer', ({ amount }) => transfer(anAddress(), amount)],
    ['of one unit less', ({ sender, amount }) => transfer(sender, amount - 1n)],
    ['mined after the window', ({ sender, amount }) => transfer(sender, amount, new Date(NOW + 1_800_001))],
  ])('never uses a transfer %s', async (_, send) => {
    const terms = anIntent();
    await register(terms);
    const key = await send(terms);
    expect(await candidatesOf(key)).toBeUndefined();
    expect(await t.store.intents.bind(t.fence, key, terms.id)).toBe(false);
    expect(await status(terms)).toBe('PENDING_ORIGIN_TX');
  });

  it('binds one transfer to one intent, in any number of parallel attempts', async () => {
    const sender = anAddress();
    const intents = [anIntent({ sender }), anIntent({ sender })];
    for (const terms of intents) await register(terms);
    const keys = [await transfer(sender, 1_000n), await transfer(sender, 1_000n)];
    const attempts = keys.flatMap((key) => intents.map(({ id }) => t.store.intents.bind(t.fence, key, id)));
    await Promise.allSettled(attempts);
    const { rows } = await t.sql.query<{ operation_id: string }>(
      'SELECT operation_id FROM inbound_transfer WHERE payer = $1 AND operation_id IS NOT NULL',
      [sender],
    );
    expect(new Set(rows.map((row) => row.operation_id)).size).toBe(rows.length);
    expect(rows.length).toBeGreaterThan(0);
  });

  it('never uses a transfer to a former wallet, whose key may be stolen, and does not wait for one', async () => {
    const terms = anIntent();
    await register(terms);
    const paid = aTransfer({ payer: terms.sender, amount: terms.amount, isToFormerWallet: true });
    await t.mine(PARTNER, { transfers: [paid], timestamp: new Date(NOW) });
    expect((await t.store.intents.findUnbound(PARTNER)).some(({ key }) => key.txHash === paid.txHash)).toBe(false);
    const past = await t.mine(PARTNER, { timestamp: new Date(NOW + 10_000_000) });
    expect(await t.expire(past)).toContain(terms.id);
  });

  it('never uses a transfer from before the intent: operators may have refunded it', async () => {
    const terms = anIntent();
    const key = await transfer(terms.sender, terms.amount, new Date(Date.now() - 120_000));
    await register(terms);
    await t.store.intents.proposeOrigin(terms.id, key.txHash);
    expect(await candidatesOf(key)).toBeUndefined();
    expect(await t.store.intents.bind(t.fence, key, terms.id)).toBe(false);
    expect(await status(terms)).toBe('PENDING_ORIGIN_TX');
  });

  it('of one sender is not blocked by any number of unbound transfers of another one', async () => {
    const [flooder, terms] = [anAddress(), anIntent()];
    for (const intent of [anIntent({ sender: flooder }), anIntent({ sender: flooder }), terms]) await register(intent);
    const number = (await t.store.scan.cursor(PARTNER))?.nextBlock ?? 0n;
    const flood = Array.from({ length: 501 }, () => aTransfer({ payer: flooder }));
    const block = aBlock(number, { transfers: flood, timestamp: new Date(NOW) });
    await t.store.scan.extend(t.fence, PARTNER, [block], number);
    const key = await transfer(terms.sender, terms.amount);
    expect(await candidatesOf(key)).toEqual([{ id: terms.id, proposed: false }]);
  });

  it('does not guess: a transfer that fits two intents stays unbound when one of them has expired', async () => {
    const sender = anAddress();
    const [first, second] = [anIntent({ sender }), anIntent({ sender })];
    await register(first, { expiresAt: new Date(NOW + 1_000) });
    await register(second, { expiresAt: new Date(NOW + 60_000_000) });
    const key = await transfer(sender, 1_000n);
    const newest = await t.mine(PARTNER, { timestamp: new Date(NOW + 1_001) });
    expect(await t.expire(newest)).toContain(first.id);
    expect(await candidatesOf(key)).toBeUndefined();
    await t.store.intents.proposeOrigin(second.id, key.txHash);
    expect(await candidatesOf(key)).toEqual([{ id: second.id, proposed: true }]);
  });

  it('shows which of several intents a client named', async () => {
    const sender = anAddress();
    const [first, second] = [anIntent({ sender }), anIntent({ sender })];
    await register(first);
    await register(second);
    const key = await transfer(sender, 1_000n);
    await t.store.intents.proposeOrigin(second.id, key.txHash);
    expect((await candidatesOf(key))?.filter(({ proposed }) => proposed)).toEqual([{ id: second.id, proposed: true }]);
  });
});

describe('expire', () => {
  it('waits until the chain itself is past the window', async () => {
    const terms = anIntent();
    const expiresAt = new Date(NOW + 5_000_000);
    await register(terms, { expiresAt });
    expect(await t.expire(await t.mine(PARTNER, { timestamp: expiresAt }))).not.toContain(terms.id);
    const past = await t.mine(PARTNER, { timestamp: new Date(expiresAt.getTime() + 1) });
    expect(await t.expire(past)).toContain(terms.id);
    expect(await status(terms)).toBe('EXPIRED');
  });

  it('does not expire a paid intent', async () => {
    const terms = anIntent();
    await register(terms);
    await t.store.intents.bind(t.fence, await transfer(terms.sender, terms.amount), terms.id);
    const past = await t.mine(PARTNER, { timestamp: new Date(NOW + 10_000_000) });
    expect(await t.expire(past)).not.toContain(terms.id);
    expect(await status(terms)).toBe('CONFIRMING');
  });
});
