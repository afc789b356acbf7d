import { describe, expect, it } from '@jest/globals';
import type { Address } from 'viem';
import type { OperationTerms, ScannedBlock, WalletCall } from '../../src/index.js';
import { anAddress, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { hold, untilBlocked, untilEndedOrBlocked, type HeldRow } from '../interleave.js';
import { aCall, delivering, wallet, useStore } from '../temporary-store.js';
import {
  aBlock,
  aBurn,
  aDelivery,
  aDeposit,
  anIntent,
  anOrder,
  aSignature,
  opening,
  paying,
} from '../../src/test/rows.js';

// Each test interleaves two steps such that they would deadlock without a common order of locks. PostgreSQL aborts one
// transaction of a deadlock, so a rejected step reveals one.

const t = useStore();

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
    // The rollback begins with the newest operation: it holds d, waits for b, and needs a later.
    for (const party of [b, d]) await read(ETHEREUM, await deposits([party]));
    const held = [await counter(b)];
    const undone = t.store.scan.rollBack(t.fence, ETHEREUM, first.number - 1n);
    await untilBlocked(t.sql, 1);
    const terms = anIntent({ sender: a, recipient: d });
    const registered = t.store.intents.register(terms, anOrder(terms));
    await untilEndedOrBlocked(t.sql, registered, 1);
    for (const row of held) await row.release();
    await Promise.all([undone, registered]);
    const { operations } = await t.store.history.page({ address: a, direction: null, limit: 10, offset: 0 });
    expect(operations.map(({ id }) => id)[0]).toBe(terms.id);
    expect(operations).toHaveLength(2);
  });
});

describe('operations and their calls', () => {
  const row = ({ id }: OperationTerms) => hold(t.sql, 'SELECT 1 FROM operation WHERE id = $1 FOR UPDATE', [id]);

  async function sent(): Promise<{ terms: OperationTerms; call: WalletCall; settle: () => Promise<boolean> }> {
    const terms = await t.due();
    const call = (await t.record(terms))!;
    const events = [paying(terms, call.transactions[0]!.hash)];
    const block = await read(PARTNER, await next(PARTNER, { events }));
    const settle = async () => (await t.store.operations.settleAll(t.fence, [aDelivery(PARTNER, block)])).size === 1;
    return { terms, call, settle };
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

  it('an operation is signed for once by two concurrent attempts', async () => {
    const terms = await t.due();
    const first = await t.store.journal.nextNonce(wallet);
    const attempt = (nonce: bigint) => () => t.store.journal.record(t.fence, wallet, [aCall(nonce, delivering(terms))]);
    const [one, two] = await queue(terms, attempt(first), attempt(first + 1n));
    expect(one).toEqual({ kind: 'recorded' });
    expect(two).toEqual({ kind: 'ended', subjects: [delivering(terms)] });
    expect(await t.store.journal.nextNonce(wallet)).toBe(first + 1n);
  });

  it('batches with the same operations in opposite order do not deadlock', async () => {
    const [one, two] = [await t.due(), await t.due()].toSorted((a, b) => (a.id < b.id ? -1 : 1)) as [
      OperationTerms,
      OperationTerms,
    ];
    const first = await t.store.journal.nextNonce(wallet);
    const results = await queue(
      one,
      () => t.store.journal.record(t.fence, wallet, [aCall(first, delivering(one, two))]),
      () => t.store.journal.record(t.fence, wallet, [aCall(first + 1n, delivering(two, one))]),
    );
    expect(results.map(({ kind }) => kind)).toEqual(['recorded', 'ended']);
  });

  it('an operation is settled while its transaction is replaced: the mined one counts', async () => {
    const { terms, call, settle } = await sent();
    const second = aSignature(call.nonce);
    const replace = () => t.store.journal.replace(t.fence, call, second, false);
    expect(await queue(terms, replace, settle)).toEqual([true, true]);
    const [first] = call.transactions;
    expect(await t.operation(terms)).toMatchObject({ status: 'COMPLETED', destinationTxHash: first?.hash });
    expect((await t.readCall(terms)).transactions).toMatchObject([{ hash: first?.hash }, { hash: second.hash }]);
  });

  it('an operation is settled while its call ends, in both orders', async () => {
    for (const settledFirst of [true, false]) {
      const { terms, call, settle } = await sent();
      const unpaid = [{ operationId: terms.id, reason: 'NONCE_TAKEN' as const, nextAttemptAt: new Date() }];
      const giveUp = () => t.store.journal.conclude(t.fence, call, { state: 'TAKEN' }, unpaid);
      if (settledFirst) expect(await queue(terms, settle, giveUp)).toEqual([true, true]);
      else expect(await queue(terms, giveUp, settle)).toEqual([true, true]);
      expect((await t.operation(terms)).status).toBe('COMPLETED');
    }
  });
});
