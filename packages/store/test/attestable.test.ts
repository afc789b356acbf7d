import { describe, expect, it } from '@jest/globals';
import { aHash, anAddress, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { FenceLostError, type AttesterAnswer, type OperationTerms, type PublishedReserves } from '../src/index.js';
import { zeroHash, type Hex } from 'viem';
import { useStore } from './temporary-store.js';
import { aDeposit, anIntent, anOrder, aTransfer, opening } from '../src/test/rows.js';

const t = useStore();

const getIds = (operations: readonly { readonly id: string }[]) => operations.map(({ id }) => id);

async function register(terms: OperationTerms, client: { clientIp?: string } = {}): Promise<void> {
  await t.store.intents.register(terms, anOrder(terms, client));
}

describe('the operations that attesters see', () => {
  it('are accepted ones, then final ones until they are paid, with pending intents last', async () => {
    const { attestable } = t.store;
    const intent = anIntent();
    await register(intent);
    const confirming = aDeposit();
    await t.mine(ETHEREUM, { events: [opening(confirming)] });
    expect(getIds(await attestable.findAccepted(10))).toEqual([confirming.id, intent.id]);
    expect(getIds(await attestable.findAccepted(1))).toEqual([confirming.id]);
    expect(await attestable.findFinal(10)).toEqual([]);
    const due = await t.due();
    expect(getIds(await attestable.findFinal(10))).toEqual([due.id]);
    await t.record(due);
    expect(getIds(await attestable.findFinal(10))).toEqual([due.id]);
  });

  it('include every sender and client, however many intents another one has', async () => {
    const { attestable } = t.store;
    const before = (await attestable.findAccepted(100)).length;
    const flood = { clientIp: '192.0.2.66' };
    const sender = anAddress();
    for (let count = 0; count < 3; count += 1) {
      await register(anIntent({ sender, recipient: sender }), flood);
      await register(anIntent(), flood);
    }
    const late = anIntent();
    await register(late, { clientIp: '192.0.2.77' });
    expect(getIds(await attestable.findAccepted(before + 2))).toContain(late.id);
    const all = getIds(await attestable.findAccepted(100));
    expect([all.length, new Set(all).size]).toEqual([before + 7, before + 7]);
  });

  it('have their transfer', async () => {
    const { attestable, intents } = t.store;
    const terms = anIntent();
    const payer = { payer: terms.sender, amount: terms.amount };
    await register(terms);
    const [own, unbound] = [aTransfer(payer), aTransfer(payer)];
    const block = await t.mine(PARTNER, { transfers: [own, unbound] });
    const { key } = (await intents.findUnbound(PARTNER)).find(({ candidates }) => candidates[0]?.id === terms.id)!;
    expect(await intents.bind(t.fence, key, terms.id)).toBe(true);
    const place = { blockNumber: block.number, txHash: key.txHash, callIndex: key.callIndex };
    expect([...(await attestable.findTransfers([terms.id]))]).toEqual([[terms.id, place]]);
  });
});

describe('the answers of attesters', () => {
  const none = { verdict: null, reason: null, why: null, answeredAt: null } as const;
  const answeredAt = new Date(1_800_000_000_000);
  const refusal = { verdict: 'REFUSE', reason: 'AMOUNT', why: 'It differs.', answeredAt } as const;
  const [first, second] = [anAddress(), anAddress()].toSorted() as [`0x${string}`, `0x${string}`];

  it('are replaced for the given operations and refunds only', async () => {
    const { attestable } = t.store;
    const [one, other] = [aHash(), aHash()];
    const rows: readonly AttesterAnswer[] = [
      { subjectId: one, attester: second, ...none },
      { subjectId: one, attester: first, ...refusal },
      { subjectId: other, attester: first, verdict: 'SIGN', reason: null, why: null, answeredAt },
    ];
    await attestable.replaceAnswers(t.fence, 'all', rows);
    expect(await attestable.findAnswers(one)).toEqual([rows[1], rows[0]]);
    const later = {
      subjectId: one,
      attester: first,
      verdict: 'NOT_YET',
      reason: null,
      why: 'Wait.',
      answeredAt,
    } as const;
    await attestable.replaceAnswers(t.fence, [one], [later]);
    expect(await attestable.findAnswers(one)).toEqual([later]);
    expect(await attestable.findAnswers(other)).toEqual([rows[2]]);
    await attestable.replaceAnswers(t.fence, [one], []);
    expect(await attestable.findAnswers(one)).toEqual([]);
    await attestable.replaceAnswers(t.fence, 'all', []);
    expect(await attestable.findAnswers(other)).toEqual([]);
  });

  it('are written only by the holder of the lease, and only in a valid form', async () => {
    const { attestable } = t.store;
    const subjectId = aHash();
    const row = { subjectId, attester: first, ...refusal };
    const lost = { ...t.fence, token: t.fence.token - 1n };
    await expect(attestable.replaceAnswers(lost, [subjectId], [row])).rejects.toThrow(FenceLostError);
    for (const wrong of [
      { ...row, reason: null },
      { ...row, why: 'x'.repeat(501) },
      { ...row, ...none, why: 'A sentence of no answer.' },
      { ...row, answeredAt: null },
      { ...row, attester: '0xABC' as const },
    ])
      await expect(attestable.replaceAnswers(t.fence, [subjectId], [wrong])).rejects.toThrow(/attester_answer_/);
    expect(await attestable.findAnswers(subjectId)).toEqual([]);
  });
});

describe('the statements of the reserves', () => {
  const aStatement = (day: bigint, previous: Hex): PublishedReserves => {
    const blocks = { ethereumBlock: day, ethereumHash: aHash(), partnerBlock: 2n * day, partnerHash: aHash() };
    const usdc = { asset: 'USDC', locked: 2n ** 255n, supply: 5n, held: 1n, inFlight: 2n, fees: 0n };
    const signatures = [{ attester: anAddress(), signature: aHash() }];
    return { statement: { day, previous, ...blocks, assets: [usdc] }, digest: aHash(), setNumber: 3n, signatures };
  };

  it('are listed newest first, and each follows another one', async () => {
    const { reserves } = t.store;
    expect(await reserves.newest()).toBeNull();
    const first = aStatement(20_000n, zeroHash);
    const second = aStatement(20_001n, first.digest);
    for (const each of [first, second]) await reserves.publish(t.fence, each);
    expect(await reserves.newest()).toEqual(second);
    expect(await reserves.list(9)).toEqual([second, first]);
    expect(await reserves.list(9, 20_001)).toEqual([first]);
    expect(await reserves.list(1)).toEqual([second]);
    await expect(reserves.publish(t.fence, aStatement(20_002n, first.digest))).rejects.toThrow(/previous/);
    await expect(reserves.publish(t.fence, aStatement(20_001n, second.digest))).rejects.toThrow(/pkey/);
    await expect(
      reserves.publish({ ...t.fence, token: t.fence.token + 1n }, aStatement(20_002n, second.digest)),
    ).rejects.toThrow(FenceLostError);
  });
});
