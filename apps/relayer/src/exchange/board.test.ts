import { describe, expect, it } from '@jest/globals';
import type { AttestBatch, AttestItem, AttestVerdict } from '@causeway/protocol/attest';
import { aHash, anAddress } from '@causeway/test-kit';
import type { Address, Hex } from 'viem';
import { Board } from './board.js';
import type { AttesterSet } from './quorum.js';

const START = 1_000_000;
const [A, B, C] = [anAddress(), anAddress(), anAddress()];
const set: AttesterSet = { setNumber: 3n, members: [A, B, C], threshold: 2 };
const SIGN: AttestVerdict = { kind: 'SIGN' };
const REFUSE: AttestVerdict = { kind: 'REFUSE', reason: 'WRONG_AMOUNT', why: '' };
const PATIENCE_MS = 30;

function aMint(over: { readonly id?: Hex; readonly amount?: bigint } = {}): AttestItem {
  const { id = aHash(), amount = 5n } = over;
  const origin = { blockNumber: 7n, transactionHash: aHash() };
  return {
    kind: 'MINT',
    id,
    origin,
    payment: { depositNonce: 1n, token: anAddress(), recipient: anAddress(), amount },
  };
}

const aBatch = (...ids: readonly Hex[]): AttestBatch => ({
  digest: aHash(),
  call: 'MINT_MANY',
  ids: [...ids],
  setNumber: 3n,
  validUntil: BigInt(START),
});

function setUp() {
  const clock = { now: START };
  const board = new Board(() => clock.now);
  const judge = (attester: Address, id: Hex, verdict: AttestVerdict) => board.judge(attester, [{ id, verdict }]);
  /** Shows an item that these attesters accept. */
  const accepted = (...attesters: readonly Address[]) => {
    const item = aMint();
    board.show('FINAL', item);
    for (const attester of attesters) judge(attester, item.id, SIGN);
    return item.id;
  };
  return { board, clock, judge, accepted };
}

describe('the items of a board', () => {
  it('are read once, and again when their stage or terms change', () => {
    const { board } = setUp();
    const item = aMint();
    board.show('ACCEPTED', item);
    board.show('ACCEPTED', item);
    const first = board.read(A, 0);
    expect(first).toMatchObject({ items: [{ stage: 'ACCEPTED', item }], gone: [], batches: [] });
    expect(board.read(A, first.after)).toMatchObject({ items: [], after: first.after });
    board.show('FINAL', item);
    expect(board.read(A, first.after).items).toEqual([{ stage: 'FINAL', item }]);
    board.remove([item.id]);
    expect(board.read(A, first.after)).toMatchObject({ items: [], gone: [item.id] });
  });

  it('are paged, so that an answer stays small', () => {
    const { board } = setUp();
    const items = Array.from({ length: 150 }, () => aMint());
    for (const item of items) board.show('FINAL', item);
    const read: AttestItem[] = [];
    for (let [page, after] = [0, 0]; page < 3; page += 1) {
      const news = board.read(A, after);
      expect(news.items.length).toBeLessThanOrEqual(64);
      read.push(...news.items.map(({ item }) => item));
      after = news.after;
    }
    expect(read).toEqual(items);
  });

  it('are all read by an attester with a position from a later process', () => {
    const { board } = setUp();
    board.show('FINAL', aMint());
    expect(board.read(A, 9_000_000).items).toHaveLength(1);
  });

  it('keep their verdicts when only the stage changes, and lose them when their terms change', () => {
    const { board, clock, judge } = setUp();
    const item = aMint();
    board.show('ACCEPTED', item);
    judge(A, item.id, SIGN);
    clock.now += 5_000;
    // A repeated verdict keeps the time of the first.
    judge(A, item.id, SIGN);
    board.show('FINAL', item);
    expect([...board.getVerdicts(item.id)]).toEqual([[A, { ...SIGN, atMs: START }]]);
    board.show('FINAL', aMint({ id: item.id, amount: 6n }));
    expect([...board.getVerdicts(item.id)]).toEqual([]);
  });

  it('know how long they have been shown at their stage', () => {
    const { board, clock } = setUp();
    const item = aMint();
    expect(board.shownFor(item.id)).toBe(0);
    board.show('FINAL', item);
    clock.now += 5_000;
    board.show('FINAL', item);
    expect(board.shownFor(item.id)).toBe(5_000);
  });

  it('announce only new verdicts', () => {
    const { board, judge } = setUp();
    const item = aMint();
    board.show('FINAL', item);
    const heard: string[] = [];
    board.onVerdicts((attester, verdicts) =>
      heard.push(`${attester} ${verdicts.map(({ verdict }) => verdict.kind).join()}`),
    );
    for (const verdict of [SIGN, SIGN, REFUSE]) judge(A, item.id, verdict);
    judge(A, aHash(), SIGN);
    expect(heard).toEqual([`${A} SIGN`, `${A} REFUSE`]);
  });
});

describe('a batch of a board', () => {
  it('returns the first signatures, as many as the threshold', async () => {
    const { board, accepted } = setUp();
    const batch = aBatch(accepted(A, B, C));
    const collected = board.collect(batch, set, PATIENCE_MS);
    expect(board.read(C, 0).batches).toEqual([batch]);
    board.sign(C, batch.digest, '0x0c');
    expect([board.read(C, 0).batches, board.read(A, 0).batches]).toEqual([[], [batch]]);
    board.sign(C, batch.digest, '0x0c');
    board.sign(A, batch.digest, '0x0a');
    board.sign(B, batch.digest, '0x0b');
    expect(await collected).toEqual([
      { attester: C, signature: '0x0c' },
      { attester: A, signature: '0x0a' },
    ]);
    expect(board.read(B, 0).batches).toEqual([]);
  });

  it('is shown only to members of its set', async () => {
    const { board, accepted } = setUp();
    const stranger = anAddress();
    const batch = aBatch(accepted(A, B));
    const collected = board.collect(batch, set, PATIENCE_MS);
    expect(board.read(stranger, 0).batches).toEqual([]);
    expect([board.findBatch(stranger, batch.digest), board.findBatch(A, aHash())]).toEqual([null, null]);
    expect(board.findBatch(A, batch.digest)).toEqual(batch);
    expect(await collected).toBeNull();
    expect(board.read(A, 0).batches).toEqual([]);
  });

  it('ends when needed members withdraw their verdict, but not because of another item', async () => {
    const { board, accepted, judge } = setUp();
    const [wanted, other] = [accepted(A, B, C), accepted(A, B, C)];
    const batch = aBatch(wanted);
    let isOver = false;
    const collected = board.collect(batch, set, 60_000).finally(() => (isOver = true));
    judge(A, other, REFUSE);
    judge(B, other, REFUSE);
    judge(A, wanted, { kind: 'NOT_YET', why: 'over its limit' });
    await Promise.resolve();
    expect(isOver).toBe(false);
    judge(B, wanted, REFUSE);
    expect(await collected).toBeNull();
  });
});

describe('an attester that waits', () => {
  it('wakes up for a new item, or hangs up', async () => {
    const { board } = setUp();
    const never = new AbortController().signal;
    const woken = board.untilNews(60_000, never);
    board.show('FINAL', aMint());
    await woken;
    const hungUp = new AbortController();
    const waiting = board.untilNews(60_000, hungUp.signal);
    hungUp.abort();
    await waiting;
    await board.untilNews(1, never);
    expect(board.list()).toHaveLength(1);
  });
});
