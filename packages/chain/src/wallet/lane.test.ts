import { describe, expect, it } from '@jest/globals';
import { aRequest, GAP, GAS, kinds, PRICE, sendAll, setUp, signer, type Row } from '../../test/scripted-lane.js';
import type { Verdict } from './ports.js';

describe('submit', () => {
  it('assigns no nonce to a call that the wallet cannot pay, and sends the other calls', async () => {
    const { lane, journal, chain } = setUp();
    chain.balance = 1_000n + 500n + 2n * GAS * PRICE;
    const submissions = await lane.submit(journal, [aRequest('a'), aRequest('b', 10_000n), aRequest('c', 500n)]);
    expect(submissions).toMatchObject([
      { kind: 'sent', nonce: 0n },
      { kind: 'rejected', reason: 'balance-short' },
      { kind: 'sent', nonce: 1n },
    ]);
    expect(chain.sent).toHaveLength(2);
    // The value in flight is not spent again.
    expect(await lane.submit(journal, [aRequest('d', 500n)])).toMatchObject([{ kind: 'rejected' }]);
  });

  it('counts a call that ends after the wallet was read', async () => {
    const { lane, journal, chain } = setUp();
    chain.balance = 1_000n + 500n + 2n * GAS * PRICE;
    await lane.submit(journal, [aRequest('a', 500n)]);
    const { inFlight } = journal;
    journal.inFlight = async (from) => {
      for (const row of journal.rows) row.end = { kind: 'taken' };
      return inFlight(from);
    };
    // The cached balance still includes the 500.
    expect(await lane.submit(journal, [aRequest('b', 500n)])).toMatchObject([{ kind: 'rejected' }]);
  });

  it('rejects everything while the market is above the cap', async () => {
    const { lane, journal, chain } = setUp();
    chain.basePrice = 2_000n;
    expect(await lane.submit(journal, [aRequest('a')])).toEqual([{ kind: 'rejected', reason: 'fee-per-gas' }]);
    expect(journal.rows).toEqual([]);
  });

  it('drops ended subjects, and signs the rest again without a nonce gap', async () => {
    const { lane, journal } = setUp();
    await lane.submit(journal, [aRequest('a')]);
    const submissions = await lane.submit(journal, [aRequest('a'), aRequest('b'), aRequest('c')]);
    expect(submissions).toMatchObject([{ kind: 'obsolete' }, { nonce: 1n }, { nonce: 2n }]);
  });

  it('assigns distinct nonces to concurrent submissions', async () => {
    const { lane, journal } = setUp();
    const groups = await Promise.all(
      ['a', 'b', 'c'].map((name) => lane.submit(journal, [aRequest(name), aRequest(`${name}2`)])),
    );
    expect(groups.flat().map((each) => each.kind === 'sent' && each.nonce)).toEqual([0n, 1n, 2n, 3n, 4n, 5n]);
  });
});

describe('follow', () => {
  it('replaces nothing in an hour of a quiet market, even if calls wait', async () => {
    const { lane, journal, chain, clock } = setUp();
    await lane.submit(
      journal,
      ['a', 'b', 'c'].map((name) => aRequest(name)),
    );
    for (let minute = 0; minute < 60; minute++) {
      clock.ms += 60_000;
      await lane.follow(journal, sendAll);
    }
    expect(journal.rows.map(({ transactions }) => transactions.length)).toEqual([1, 1, 1]);
    expect(chain.sent.length).toBeGreaterThan(100);
  });

  it('replaces only the lowest nonce, once the market has risen above it', async () => {
    const { lane, journal, chain, clock } = setUp();
    await lane.submit(
      journal,
      ['a', 'b', 'c'].map((name) => aRequest(name)),
    );
    clock.ms += 60_000;
    chain.basePrice = 100n;
    await lane.follow(journal, sendAll);
    expect(journal.rows.map(({ transactions }) => transactions.length)).toEqual([2, 1, 1]);
    clock.ms += 10_000;
    await lane.follow(journal, sendAll);
    expect(journal.rows.map(({ transactions }) => transactions.length)).toEqual([2, 1, 1]);
  });

  it('ends calls when they are final, not before', async () => {
    const { lane, journal, chain } = setUp();
    await lane.submit(journal, [aRequest('a')]);
    chain.mine();
    await lane.follow(journal, sendAll);
    expect(kinds(journal)).toEqual(['pending']);
    chain.mine(2n);
    await lane.follow(journal, sendAll);
    expect(kinds(journal)).toEqual(['succeeded']);
  });

  it('resends transactions that a reorg removed before any new transaction is mined', async () => {
    const { lane, journal, chain, clock } = setUp();
    await lane.submit(journal, [aRequest('a'), aRequest('b')]);
    chain.mine();
    chain.mine(2n);
    await lane.follow(journal, sendAll);
    const [, lost] = chain.mined;
    chain.mined.pop();
    await lane.submit(journal, [aRequest('c')]);
    clock.ms += 30_000;
    await lane.follow(journal, sendAll);
    await lane.follow(journal, sendAll);
    chain.mine();
    expect(chain.mined.map(({ hash }) => hash)).toContain(lost?.hash);
    expect(chain.mined).toHaveLength(3);
  });

  it('does not reread the wallet while no call is in flight and no block arrives', async () => {
    const { lane, journal, chain } = setUp();
    let reads = 0;
    chain.balanceAt = async () => BigInt((reads += 1));
    for (let turn = 0; turn < 5; turn++) await lane.follow(journal, sendAll);
    expect(reads).toBe(1);
    chain.mine();
    for (let turn = 0; turn < 5; turn++) await lane.follow(journal, sendAll);
    expect(reads).toBe(2);
  });

  it('logs a pending nonce gap at its start, and then once a minute', async () => {
    const { lane, journal, chain, clock, logged } = setUp();
    await lane.submit(journal, [aRequest('a'), aRequest('b')]);
    chain.mine();
    chain.mine(2n);
    await lane.follow(journal, sendAll);
    // A reorg: the head is below the block of the second call, so that call stays ended.
    chain.mined.pop();
    chain.block -= 2n;
    journal.reopenLost = async () => 0;
    const ofGap = () => logged.filter((message) => message.includes('nonce gap'));
    for (let turn = 0; turn < 20; turn++, clock.ms += 250) await lane.follow(journal, sendAll);
    expect(ofGap()).toHaveLength(1);
    clock.ms += 60_000;
    for (let turn = 0; turn < 20; turn++, clock.ms += 250) await lane.follow(journal, sendAll);
    expect(ofGap()).toHaveLength(2);
    expect(kinds(journal)).toEqual(['succeeded', 'succeeded']);
  });

  it('fills a nonce that both the chain and the journal lack', async () => {
    const { lane, journal, chain, clock } = setUp();
    await lane.submit(journal, [aRequest('a'), aRequest('b')]);
    // As if a restored backup lost the row of the first call, and no node has its transaction.
    journal.rows.shift();
    chain.pool.delete(0n);
    clock.ms += 30_000;
    await lane.follow(journal, sendAll);
    expect(journal.rows[0]).toMatchObject({ nonce: 0n, subject: GAP, value: 0n, to: signer.address });
    chain.mine();
    expect(chain.mined).toHaveLength(2);
  });

  it('sends other calls while the fee cap prevents filling a gap', async () => {
    const { lane, journal, chain, clock } = setUp();
    await lane.submit(journal, [aRequest('a'), aRequest('b')]);
    journal.rows.shift();
    chain.basePrice = 2_000n;
    clock.ms += 30_000;
    chain.sent.length = 0;
    expect(await lane.follow(journal, sendAll)).toBe(false);
    expect(chain.sent).toHaveLength(1);
  });

  it('ends a call as taken if its nonce was used outside the journal', async () => {
    const { lane, journal, chain } = setUp();
    await lane.submit(journal, [aRequest('a')]);
    chain.mined.push({ hash: '0xforeign', block: 101n });
    chain.block = 103n;
    await lane.follow(journal, sendAll);
    expect(journal.rows[0]?.end).toEqual({ kind: 'taken' });
  });

  it('cancels a withheld call that blocks a later one for a minute, by an empty transaction', async () => {
    const { lane, journal, chain, clock } = setUp();
    chain.answer = () => ({ kind: 'unreachable', reason: 'a test' });
    await lane.submit(journal, [aRequest('gone', 7n), aRequest('b')]);
    chain.answer = () => ({ kind: 'accepted' });
    const judge = async ({ subject }: Row): Promise<Verdict> => (subject === 'gone' ? 'withhold' : 'send');
    for (let step = 0; step < 20; step++) {
      clock.ms += 5_000;
      await lane.follow(journal, async (call) => (call.isCancelled ? 'send' : judge(call)));
    }
    chain.mine();
    expect(chain.mined).toHaveLength(2);
    expect(journal.rows[0]?.transactions.at(-1)).toMatchObject({ isCancellation: true });
    chain.mine(2n);
    await lane.follow(journal, sendAll);
    expect(kinds(journal)).toEqual(['cancelled', 'succeeded']);
  });

  it('cancels a call whose value the wallet can no longer pay', async () => {
    const { lane, journal, chain, clock } = setUp();
    await lane.submit(journal, [aRequest('a', 500_000n)]);
    chain.balance = 400_000n;
    clock.ms += 5_000;
    await lane.follow(journal, sendAll);
    expect(journal.rows[0]?.isCancelled).toBe(true);
  });

  it('reports a transaction that no node accepts, and its later acceptance', async () => {
    const { lane, journal, chain, clock } = setUp();
    chain.answer = () => ({ kind: 'insufficient-funds' });
    await lane.submit(journal, [aRequest('a')]);
    for (const kind of ['insufficient-funds', 'insufficient-funds', 'accepted', 'accepted'] as const) {
      chain.answer = () => ({ kind });
      clock.ms += 5_000;
      await lane.follow(journal, sendAll);
    }
    expect(journal.notes).toEqual(['0 insufficient-funds', '0 accepted']);
  });
});
