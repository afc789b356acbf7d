import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Address } from 'viem';
import type { JournalEntry, OperationTerms, ScannedBlock } from '../src/index.js';
import {
  aBlock,
  aBurn,
  aDelivery,
  aDeposit,
  anAddress,
  anIntent,
  aHash,
  aSignature,
  ETHEREUM,
  opening,
  PARTNER,
  paying,
} from '@causeway/test-kit';
import { hold, untilBlocked, untilEndedOrBlocked, type HeldRow } from './interleave.js';
import { temporaryStore, type TemporaryStore } from './temporary-store.js';

// Each test puts two steps in the position in which they would deadlock if their locks had no common order. PostgreSQL
// ends one transaction of a deadlock, so a rejected step means that there was one.

let t: TemporaryStore;

beforeAll(async () => {
  t = await temporaryStore();
});
afterAll(async () => t.close());

async function next(chainId: number, over: Partial<ScannedBlock>): Promise<ScannedBlock> {
  return aBlock((await t.store.scan.cursor(chainId))?.nextBlock ?? 0n, over);
}

async function read(chainId: number, block: ScannedBlock): Promise<ScannedBlock> {
  await t.store.scan.extend(t.fence, chainId, [block], block.number);
  return block;
}

describe('the histories of parties', () => {
  const alone = (address: Address) => ({ sender: address, recipient: address });
  const fourParties = () =>
    Array.from({ length: 4 }, () => anAddress()).toSorted() as [Address, Address, Address, Address];
  const counter = (address: Address) =>
    hold(t.sql, 'SELECT 1 FROM party_counter WHERE address = $1 FOR UPDATE', [address]);

  /** Reads a block that opens a deposit for each party. */
  async function deposits(parties: readonly Address[]): Promise<ScannedBlock> {
    return next(ETHEREUM, { events: parties.map((party, index) => opening(aDeposit(alone(party)), index)) });
  }

  async function run(steps: readonly Promise<unknown>[], held: readonly HeldRow[]): Promise<void> {
    await untilBlocked(t.sql, steps.length);
    for (const row of held) await row.release();
    await Promise.all(steps);
  }

  it('two chains with the same parties in opposite order are read in parallel', async () => {
    const parties = fourParties();
    await read(ETHEREUM, await deposits(parties));
    const [a, b, c, d] = parties;
    const [one, other] = [
      await deposits([d, b, a]),
      await next(PARTNER, { events: [a, c, d].map((party, index) => opening(aBurn(alone(party)), index)) }),
    ];
    const held = [await counter(b), await counter(c)];
    await run([read(ETHEREUM, one), read(PARTNER, other)], held);
    expect((await t.store.scan.cursor(ETHEREUM))?.nextBlock).toBe(one.number + 1n);
    expect((await t.store.scan.cursor(PARTNER))?.nextBlock).toBe(other.number + 1n);
  });

  it('an intent is registered while a reorg withdraws operations of its parties', async () => {
    const [a, b, , d] = fourParties();
    await read(ETHEREUM, await deposits([a, b, d]));
    const first = await read(ETHEREUM, await deposits([a]));
    // The rollback begins with the newest: it holds d, waits for b, and needs a later.
    for (const party of [b, d]) await read(ETHEREUM, await deposits([party]));
    const held = [await counter(b)];
    const undone = t.store.scan.rollBack(t.fence, ETHEREUM, first.number - 1n);
    await untilBlocked(t.sql, 1);
    const terms = anIntent({ sender: a, recipient: d });
    const registered = t.store.intents.register(terms, {
      id: terms.id,
      sender: a,
      nonce: aHash(),
      idempotencyKey: aHash(),
      deadlineSeconds: 2_000_000_000n,
      signature: '0x01',
      expiresAt: new Date(2_000_000_000_000),
    });
    await untilEndedOrBlocked(t.sql, registered, 1);
    for (const row of held) await row.release();
    await Promise.all([undone, registered]);
    const { operations } = await t.store.history.page({ address: a, direction: null, limit: 10, offset: 0 });
    expect(operations.map(({ id }) => id)[0]).toBe(terms.id);
    expect(operations).toHaveLength(2);
  });
});

describe('an operation and its journal', () => {
  const row = ({ id }: OperationTerms) => hold(t.sql, 'SELECT 1 FROM operation WHERE id = $1 FOR UPDATE', [id]);

  async function sent(): Promise<{ terms: OperationTerms; entry: JournalEntry; settle: () => Promise<boolean> }> {
    const terms = await t.due();
    const signed = await t.record(terms);
    const entry = (await t.store.journal.pending(PARTNER)).find(({ hash }) => hash === signed?.hash)!;
    const block = await read(PARTNER, await next(PARTNER, { events: [paying(terms, entry.hash)] }));
    return { terms, entry, settle: () => t.store.operations.settle(t.fence, aDelivery(PARTNER, block)) };
  }

  /** Lets the steps queue for the lock of the operation in this order, then releases it. */
  async function queue<A, B>(terms: OperationTerms, first: () => Promise<A>, second: () => Promise<B>) {
    const held = await row(terms);
    const one = first();
    await untilBlocked(t.sql, 1);
    const two = second();
    await untilBlocked(t.sql, 2);
    await held.release();
    return Promise.all([one, two]);
  }

  const states = async ({ id }: OperationTerms) => {
    const { rows } = await t.sql.query<{ tx_hash: string; state: string }>(
      'SELECT tx_hash, state::text FROM journal_entry WHERE operation_id = $1',
      [id],
    );
    return new Map(rows.map(({ tx_hash, state }) => [tx_hash, state]));
  };

  it('is signed for once when two attempts run in parallel', async () => {
    const terms = await t.due();
    const signed = await queue(
      terms,
      () => t.record(terms),
      () => t.record(terms),
    );
    expect(signed[0]).not.toBeNull();
    expect(signed[1]).toBeNull();
    expect((await states(terms)).size).toBe(1);
  });

  it('is settled while its transaction is replaced: the mined one counts, the other one is marked replaced', async () => {
    const { terms, entry, settle } = await sent();
    const second = aSignature(entry.nonce);
    expect(await queue(terms, () => t.store.journal.replace(t.fence, entry, second), settle)).toEqual([true, true]);
    expect(await states(terms)).toEqual(
      new Map([
        [entry.hash, 'CONFIRMED'],
        [second.hash, 'REPLACED'],
      ]),
    );
    expect(await t.operation(terms)).toMatchObject({ status: 'COMPLETED', destinationTxHash: entry.hash });
  });

  it('is not replaced once it is settled: nothing is stored, so nothing is sent', async () => {
    const { terms, entry, settle } = await sent();
    const replace = () => t.store.journal.replace(t.fence, entry, aSignature(entry.nonce));
    expect(await queue(terms, settle, replace)).toEqual([true, false]);
    expect(await states(terms)).toEqual(new Map([[entry.hash, 'CONFIRMED']]));
  });

  it('is settled while its transaction is recorded as reverted, in both orders', async () => {
    for (const settledFirst of [true, false]) {
      const { terms, entry, settle } = await sent();
      const giveUp = () => t.store.journal.revert(t.fence, entry, 'NONCE_TAKEN', new Date());
      if (settledFirst) expect(await queue(terms, settle, giveUp)).toEqual([true, false]);
      else expect(await queue(terms, giveUp, settle)).toEqual([true, true]);
      expect(await states(terms)).toEqual(new Map([[entry.hash, 'CONFIRMED']]));
      expect((await t.operation(terms)).status).toBe('COMPLETED');
    }
  });

  it('is settled by a transaction whose replacement was recorded as reverted', async () => {
    const { terms, entry, settle } = await sent();
    const second = aSignature(entry.nonce);
    await t.store.journal.replace(t.fence, entry, second);
    await t.store.journal.revert(t.fence, { ...entry, ...second }, 'DESTINATION_REVERTED', new Date());
    expect(await settle()).toBe(true);
    expect(await states(terms)).toEqual(
      new Map([
        [entry.hash, 'CONFIRMED'],
        [second.hash, 'REPLACED'],
      ]),
    );
  });
});
