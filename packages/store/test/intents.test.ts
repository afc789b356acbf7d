import { describe, expect, it } from '@jest/globals';
import type { Direction } from '@causeway/protocol';
import type { OperationTerms, TransferKey } from '../src/index.js';
import { aHash, anAddress, PARTNER } from '@causeway/test-kit';
import { useStore } from './temporary-store.js';
import { aBlock, anIntent, aTransfer, CLIENT } from '../src/test/rows.js';

const NOW = 1_800_000_000_000;
const t = useStore();

interface Over {
  readonly nonce?: string;
  readonly key?: string;
  readonly expiresAt?: Date;
  readonly clientIp?: string;
  readonly relayerWallet?: OperationTerms['sender'];
  readonly mostOpenOfClient?: number;
}

async function register(terms: OperationTerms, over: Over = {}): Promise<boolean> {
  return t.store.intents.register(terms, {
    id: terms.id,
    sender: terms.sender,
    nonce: over.nonce ?? aHash(),
    idempotencyKey: over.key ?? aHash(),
    deadlineSeconds: BigInt(NOW / 1000 + 1_800),
    signature: '0x01',
    expiresAt: over.expiresAt ?? new Date(NOW + 1_800_000),
    ...(over.relayerWallet === undefined ? {} : { relayerWallet: over.relayerWallet }),
    clientIp: over.clientIp ?? CLIENT.clientIp,
    mostOpenOfClient: over.mostOpenOfClient ?? CLIENT.mostOpenOfClient,
    judgedAtBlock: CLIENT.judgedAtBlock,
  });
}

/** A transfer in a separate block with a given time. */
async function transfer(
  payer: OperationTerms['sender'],
  amount: bigint,
  minedAt = new Date(NOW),
  memo: TransferKey['txHash'] | null = null,
): Promise<TransferKey> {
  const paid = aTransfer({ payer, amount, memo });
  await t.mine(PARTNER, { transfers: [paid], timestamp: minedAt });
  return { chainId: PARTNER, txHash: paid.txHash, asset: 'XCN', callIndex: 0 };
}

/** Two intents that no transfer can tell apart. */
async function twins(): Promise<[OperationTerms, OperationTerms]> {
  const [sender, recipient] = [anAddress(), anAddress()];
  const both: [OperationTerms, OperationTerms] = [anIntent({ sender, recipient }), anIntent({ sender, recipient })];
  for (const terms of both) await register(terms);
  return both;
}

/** The ids in the history of an address, by pages of one row, so that a gap in the numbers would show. */
async function readHistory(
  address: OperationTerms['recipient'],
  direction: Direction | null = null,
): Promise<string[]> {
  const page = await t.store.history.page({ address, direction, limit: 1, offset: 0 });
  const ids = page.operations.map(({ id }) => id);
  for (let { hasMore } = page; hasMore;) {
    const next = await t.store.history.page({ address, direction, limit: 1, offset: ids.length });
    ids.push(...next.operations.map(({ id }) => id));
    ({ hasMore } = next);
  }
  if (direction === null) expect(await readHistory(address, 'PARTNER_TO_ETHEREUM')).toEqual(ids);
  return ids;
}

const bind = (key: TransferKey, { id }: OperationTerms) => t.store.intents.bind(t.fence, key, id);
const status = async ({ id }: OperationTerms) => (await t.store.operations.findById(id))?.status;
const readOrigin = async ({ id }: OperationTerms) => (await t.store.operations.findById(id))?.origin?.txHash ?? null;
const findCandidates = async ({ txHash }: TransferKey) =>
  (await t.store.intents.findUnbound(PARTNER)).find(({ key }) => key.txHash === txHash)?.candidates;
const refusal = (field: string) => expect.objectContaining({ code: 'VALIDATION_ERROR', field });

describe('register', () => {
  it('stores an intent and its operation', async () => {
    const terms = anIntent();
    expect(await register(terms, { key: 'k' })).toBe(true);
    expect(await status(terms)).toBe('PENDING_ORIGIN_TX');
    expect((await t.store.intents.findByKey(terms.sender, 'k'))?.id).toBe(terms.id);
  });

  it('stores one of several concurrent identical intents, and returns false for the others', async () => {
    const terms = anIntent();
    const results = await Promise.all([1, 2, 3, 4].map(() => register(terms, { key: 'k', nonce: 'n' })));
    expect(results.filter(Boolean)).toHaveLength(1);
  });

  it('refuses a key or nonce of another intent of the same sender, naming it, and allows other senders to use them', async () => {
    const [sender, recipient] = [anAddress(), anAddress()];
    await register(anIntent({ sender, recipient }), { key: 'k', nonce: 'n' });
    await expect(register(anIntent({ sender, recipient }), { key: 'k' })).rejects.toEqual(refusal('idempotencyKey'));
    await expect(register(anIntent({ sender, recipient }), { nonce: 'n' })).rejects.toEqual(refusal('nonce'));
    expect(await register(anIntent(), { key: 'k', nonce: 'n' })).toBe(true);
  });

  it('refuses a second recipient for the same sender and amount until the first intent is final, and names a free amount', async () => {
    const sender = anAddress();
    const first = anIntent({ sender });
    await register(first);
    const rival = anIntent({ sender });
    const free = String(1_000n + 10n ** 10n);
    const words = expect.objectContaining({ field: 'amountAtomic', message: expect.stringContaining(free) });
    await expect(register(rival)).rejects.toEqual(words);
    const key = await transfer(sender, 1_000n);
    expect(await bind(key, first)).toBe(true);
    await expect(register(rival)).rejects.toEqual(words);
    const block = await t.mine(PARTNER);
    const { origin } = await t.operation(first);
    await t.finalize(first, { ...block, hash: origin!.blockHash });
    expect(await register(rival)).toBe(true);
  });

  it('accepts one of two concurrent intents to different recipients', async () => {
    const sender = anAddress();
    const results = await Promise.allSettled([1, 2, 3, 4].map(() => register(anIntent({ sender }))));
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  });

  it('allows a sender 100 open intents, and a client up to its limit', async () => {
    const [sender, recipient] = [anAddress(), anAddress()];
    for (let index = 0; index < 100; index++) await register(anIntent({ sender, recipient }));
    const tooMany = expect.objectContaining({ code: 'RATE_LIMIT_EXCEEDED' });
    await expect(register(anIntent({ sender, recipient }))).rejects.toEqual(tooMany);
    const client = { clientIp: '192.0.2.77', mostOpenOfClient: 3 };
    for (let index = 0; index < 3; index++) await register(anIntent(), client);
    await expect(register(anIntent(), client)).rejects.toEqual(tooMany);
    expect(await register(anIntent(), { ...client, clientIp: '192.0.2.78' })).toBe(true);
  });

  it("shows the newest ten strangers' intents in a history, and the others once they are paid", async () => {
    const recipient = anAddress();
    const spam = Array.from({ length: 12 }, () => anIntent({ recipient }));
    const own = anIntent({ sender: recipient });
    await register(spam[0]!);
    await register(own);
    for (const terms of spam.slice(1)) await register(terms);
    const newest = spam.slice(2).toReversed();
    expect(await readHistory(recipient)).toEqual([...newest, own].map(({ id }) => id));
    for (const paid of [spam[0]!, spam[11]!])
      expect(await bind(await transfer(paid.sender, paid.amount), paid)).toBe(true);
    expect(await readHistory(recipient)).toEqual([spam[0]!, ...newest, own].map(({ id }) => id));
    // The paid intent made room for another unpaid one.
    const later = anIntent({ recipient });
    await register(later);
    expect(await readHistory(recipient)).toEqual([later, spam[0]!, ...newest, own].map(({ id }) => id));
  });
});

describe('binding', () => {
  it('binds a transfer to the intent of its payer and amount', async () => {
    const terms = anIntent();
    await register(terms);
    const key = await transfer(terms.sender, terms.amount);
    expect(await findCandidates(key)).toEqual([{ id: terms.id, isNamed: false, isProposed: false }]);
    expect(await bind(key, terms)).toBe(true);
    expect(await t.operation(terms)).toMatchObject({ status: 'CONFIRMING', origin: { txHash: key.txHash } });
    expect(await findCandidates(key)).toBeUndefined();
  });

  it.each<[string, (terms: OperationTerms) => Promise<TransferKey>]>([
    ['of another payer', ({ amount }) => transfer(anAddress(), amount)],
    ['of another payer that names it', ({ id, amount }) => transfer(anAddress(), amount, new Date(NOW), id)],
    ['of one unit less', ({ sender, amount }) => transfer(sender, amount - 1n)],
    ['of one unit less that names it', ({ id, sender, amount }) => transfer(sender, amount - 1n, new Date(NOW), id)],
    ['mined after the window', ({ sender, amount }) => transfer(sender, amount, new Date(NOW + 1_800_001))],
  ])('never uses a transfer %s', async (_, send) => {
    const terms = anIntent();
    await register(terms);
    const key = await send(terms);
    expect(await findCandidates(key)).toBeUndefined();
    expect(await bind(key, terms)).toBe(false);
    expect(await status(terms)).toBe('PENDING_ORIGIN_TX');
  });

  it('is predicted for an unread transfer: the intent in its data, else the proposed one, else the oldest', async () => {
    const [one, other] = [anIntent(), anIntent()];
    await register(one);
    const unread = (terms: OperationTerms, over: { amount?: bigint; minedAt?: Date } = {}) => {
      const { sender: payer, amount } = terms;
      const mined = { memo: null, blockNumber: 1_000_000n, minedAt: new Date(NOW) };
      return { chainId: PARTNER, txHash: aHash(), payer, amount, ...mined, ...over };
    };
    const paidBy = (terms: OperationTerms, over = {}) => t.store.intents.findPaidBy(unread(terms, over));
    expect(await paidBy(one)).toBe(one.id);
    expect(await paidBy(other)).toBeNull();
    expect(await paidBy(one, { amount: one.amount - 1n })).toBeNull();
    expect(await paidBy(one, { minedAt: new Date(NOW + 1_800_000) })).toBe(one.id);
    expect(await paidBy(one, { minedAt: new Date(NOW + 1_800_001) })).toBeNull();
    const second = anIntent({ sender: one.sender, recipient: one.recipient });
    await register(second);
    expect(await paidBy(one)).toBe(one.id);
    expect(await paidBy(one, { memo: second.id })).toBe(second.id);
    const named = unread(one);
    await t.store.intents.proposeOrigin(second.id, named.txHash);
    expect(await t.store.intents.findPaidBy(named)).toBe(second.id);
    expect(await t.store.intents.findPaidBy({ ...named, memo: one.id })).toBe(one.id);
  });

  it('uses a transfer at the end of the window', async () => {
    const terms = anIntent();
    await register(terms);
    const key = await transfer(terms.sender, terms.amount, new Date(NOW + 1_800_000));
    expect(await findCandidates(key)).toEqual([{ id: terms.id, isNamed: false, isProposed: false }]);
    expect(await bind(key, terms)).toBe(true);
  });

  it('binds one transfer to one intent in any number of concurrent attempts', async () => {
    const intents = await twins();
    const { sender } = intents[0];
    const keys = [await transfer(sender, 1_000n), await transfer(sender, 1_000n)];
    await Promise.allSettled(keys.flatMap((key) => intents.map((terms) => bind(key, terms))));
    const { rows } = await t.sql.query<{ operation_id: string }>(
      'SELECT operation_id FROM inbound_transfer WHERE payer = $1 AND operation_id IS NOT NULL',
      [sender],
    );
    expect(new Set(rows.map((row) => row.operation_id)).size).toBe(rows.length);
    expect(rows.length).toBeGreaterThan(0);
  });

  it('never uses a transfer to a former wallet, whose key may be stolen, and does not delay expiry for one', async () => {
    const terms = anIntent();
    await register(terms);
    const paid = aTransfer({ payer: terms.sender, amount: terms.amount, isToFormerWallet: true });
    await t.mine(PARTNER, { transfers: [paid], timestamp: new Date(NOW) });
    expect((await t.store.intents.findUnbound(PARTNER)).some(({ key }) => key.txHash === paid.txHash)).toBe(false);
    const past = await t.mine(PARTNER, { timestamp: new Date(NOW + 10_000_000) });
    expect(await t.expire(past)).toContain(terms.id);
  });

  it('expires before its window closes once its wallet was replaced, unless a stored transfer pays it', async () => {
    const [former, present] = [anAddress(), anAddress()];
    const [paid, unpaid, other] = [anIntent(), anIntent(), anIntent()];
    for (const terms of [paid, unpaid]) await register(terms, { relayerWallet: former });
    await register(other, { relayerWallet: present });
    await transfer(paid.sender, paid.amount);
    const newest = await t.mine(PARTNER, { timestamp: new Date(NOW) });
    const { intents } = t.store;
    expect(await intents.findOfOtherWallets(PARTNER, present)).toEqual(expect.arrayContaining([paid.id, unpaid.id]));
    expect(await intents.findOfOtherWallets(PARTNER, present)).not.toContain(other.id);
    const expired = [];
    for (const { id } of [paid, unpaid, other]) expired.push(await intents.expire(t.fence, id, newest, present));
    expect(expired).toEqual([false, true, false]);
    expect(await status(unpaid)).toBe('EXPIRED');
  });

  it.each([
    ['long before', new Date(Date.now() - 120_000)],
    // It was read before the intent was accepted, regardless of the clocks.
    ['in the minute before', new Date()],
  ])('never uses a transfer from %s the intent, which may already be refunded', async (_, minedAt) => {
    const terms = anIntent();
    const key = await transfer(terms.sender, terms.amount, minedAt);
    await register(terms);
    await t.store.intents.proposeOrigin(terms.id, key.txHash);
    expect(await findCandidates(key)).toBeUndefined();
    expect(await bind(key, terms)).toBe(false);
    expect(await status(terms)).toBe('PENDING_ORIGIN_TX');
  });

  it("of one sender is not delayed by any number of another's unbound transfers", async () => {
    const [flooder, terms] = [anAddress(), anIntent()];
    for (const intent of [anIntent({ sender: flooder, amount: 7n, outputAmount: 7n, fee: 0n }), terms])
      await register(intent);
    const number = (await t.store.scan.cursor(PARTNER))?.nextBlock ?? 0n;
    const flood = Array.from({ length: 501 }, () => aTransfer({ payer: flooder }));
    const block = aBlock(number, { transfers: flood, timestamp: new Date(NOW) });
    await t.store.scan.extend(t.fence, PARTNER, [block], number);
    const key = await transfer(terms.sender, terms.amount);
    expect(await findCandidates(key)).toEqual([{ id: terms.id, isNamed: false, isProposed: false }]);
  });

  it('reports which intent the transfer names, and which one a client named', async () => {
    const [first, second] = await twins();
    const key = await transfer(first.sender, 1_000n, new Date(NOW), first.id);
    await t.store.intents.proposeOrigin(second.id, key.txHash);
    expect(await findCandidates(key)).toEqual([
      { id: first.id, isNamed: true, isProposed: false },
      { id: second.id, isNamed: false, isProposed: true },
    ]);
  });
});

describe('an exchange between equal intents', () => {
  const exchanges = async () => (await t.store.intents.findExchanges(PARTNER)).map(({ id }) => id);
  const exchange = (key: TransferKey, { id }: OperationTerms) => t.store.intents.exchange(t.fence, key, id);

  it('moves a transfer to the intent whose client names it, and makes the other one pending', async () => {
    const [first, second] = await twins();
    const key = await transfer(first.sender, 1_000n);
    await bind(key, first);
    await t.store.intents.proposeOrigin(second.id, key.txHash);
    expect(await exchanges()).toContain(second.id);
    expect(await exchange(key, second)).toBe(true);
    expect([await status(first), await status(second)]).toEqual(['PENDING_ORIGIN_TX', 'CONFIRMING']);
    expect(await readOrigin(second)).toBe(key.txHash);
    expect(await exchanges()).not.toContain(second.id);
  });

  it('swaps two transfers, and the last proposal wins', async () => {
    const [first, second] = await twins();
    const keys = [await transfer(first.sender, 1_000n), await transfer(first.sender, 1_000n)] as const;
    await bind(keys[0], first);
    await bind(keys[1], second);
    await t.store.intents.proposeOrigin(second.id, keys[0].txHash);
    expect(await exchange(keys[0], second)).toBe(true);
    expect([await readOrigin(first), await readOrigin(second)]).toEqual([keys[1].txHash, keys[0].txHash]);
    await t.store.intents.proposeOrigin(first.id, keys[0].txHash);
    expect(await exchanges()).toEqual([first.id]);
    expect(await exchange(keys[0], first)).toBe(true);
    expect([await readOrigin(first), await readOrigin(second)]).toEqual([keys[0].txHash, keys[1].txHash]);
  });

  it("does not happen once the origin is final, against the transfer's data, or to another sender", async () => {
    const [first, second] = await twins();
    const named = await transfer(first.sender, 1_000n, new Date(NOW), first.id);
    await bind(named, first);
    await t.store.intents.proposeOrigin(second.id, named.txHash);
    expect(await exchanges()).not.toContain(second.id);

    const [third, fourth] = await twins();
    const stranger = anIntent();
    await register(stranger);
    const key = await transfer(third.sender, 1_000n);
    await bind(key, third);
    await t.store.intents.proposeOrigin(stranger.id, key.txHash);
    expect(await exchange(key, stranger)).toBe(false);
    const { origin } = await t.operation(third);
    await t.finalize(third, { ...(await t.mine(PARTNER)), hash: origin!.blockHash });
    await t.store.intents.proposeOrigin(fourth.id, key.txHash);
    expect(await exchanges()).not.toContain(fourth.id);
    expect(await exchange(key, fourth)).toBe(false);
    expect(await readOrigin(third)).toBe(key.txHash);
  });
});

describe('expire', () => {
  it("waits until the chain's time is past the window", async () => {
    const terms = anIntent();
    const expiresAt = new Date(NOW + 5_000_000);
    await register(terms, { expiresAt });
    const last = await t.mine(PARTNER, { timestamp: expiresAt });
    expect(await t.store.intents.findClosedWindows(PARTNER, last.timestamp)).not.toContain(terms.id);
    expect(await t.store.intents.expire(t.fence, terms.id, last)).toBe(false);
    const past = await t.mine(PARTNER, { timestamp: new Date(expiresAt.getTime() + 1) });
    expect(await t.expire(past)).toContain(terms.id);
    expect(await status(terms)).toBe('EXPIRED');
  });

  it("removes an intent from its recipient's history, but not from its sender's", async () => {
    const recipient = anAddress();
    const expiresAt = new Date(NOW + 6_000_000);
    const [expired, open] = [anIntent({ recipient }), anIntent({ recipient })];
    await register(expired, { expiresAt });
    await register(open, { expiresAt: new Date(expiresAt.getTime() + 60_000) });
    await t.expire(await t.mine(PARTNER, { timestamp: new Date(expiresAt.getTime() + 1) }));
    expect(await readHistory(recipient)).toEqual([open.id]);
    expect(await readHistory(expired.sender)).toEqual([expired.id]);
  });

  it('expires neither a paid intent nor one that a transfer is about to pay', async () => {
    const [paid, waiting] = [anIntent(), anIntent()];
    for (const terms of [paid, waiting]) await register(terms);
    await bind(await transfer(paid.sender, paid.amount), paid);
    await transfer(waiting.sender, waiting.amount);
    const past = await t.mine(PARTNER, { timestamp: new Date(NOW + 10_000_000) });
    const expired = await t.expire(past);
    expect(expired).not.toContain(paid.id);
    expect(expired).not.toContain(waiting.id);
  });
});
