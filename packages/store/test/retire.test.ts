import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  FenceLostError,
  openStore,
  type NonceUse,
  type OperationTerms,
  type RetirementEntry,
  type WaitingWithdrawals,
} from '../src/index.js';
import {
  aBurn,
  aDelivery,
  aDeposit,
  aHash,
  anIntent,
  aNativeWithdrawal,
  aSignature,
  ETHEREUM,
  opening,
  PARTNER,
  paying,
} from '@causeway/test-kit';
import { hold, untilBlocked } from './interleave.js';
import { temporaryStore, wallet, type TemporaryStore } from './temporary-store.js';

let t: TemporaryStore;

beforeAll(async () => {
  t = await temporaryStore();
});
afterAll(async () => t.close());
// Every test begins without waiting withdrawals.
beforeEach(async () => {
  for (;;) {
    for (const entry of await t.store.retirements.pending(PARTNER)) await conclude(entry, 'done');
    const waiting = await t.store.retirements.findWaiting(PARTNER, 'USDC');
    if (waiting === null) return;
    await record(waiting);
  }
});
afterEach(async () => {
  for (const halt of await t.store.halts.list()) await t.store.halts.lift(halt);
});

/** A final burn that is not paid yet. */
async function burnt(over: Partial<OperationTerms> = {}): Promise<OperationTerms> {
  return t.due(aBurn(over));
}

async function completed(over: Partial<OperationTerms> = {}): Promise<OperationTerms> {
  const terms = await burnt(over);
  const block = await t.mine(ETHEREUM, { events: [paying(terms)] });
  expect(await t.store.operations.settle(t.fence, aDelivery(ETHEREUM, block))).toBe(true);
  return terms;
}

const waitingFor = (asset: 'USDC' | 'ETH' = 'USDC') => t.store.retirements.findWaiting(PARTNER, asset);
const record = (waiting: WaitingWithdrawals, chainNonce = 0n) =>
  t.store.retirements.record(t.fence, waiting, wallet, chainNonce, (nonce) => Promise.resolve(aSignature(nonce)));
const pendingEntry = async () => (await t.store.retirements.pending(PARTNER))[0]!;

async function conclude(entry: RetirementEntry, kind: 'done' | 'reverted' | 'cancelled', txHash = entry.hash) {
  const block = await t.mine(PARTNER);
  return t.store.retirements.conclude(t.fence, entry, { kind, txHash, block });
}

async function started(): Promise<RetirementEntry> {
  await completed();
  await record((await waitingFor())!);
  return pendingEntry();
}

const states = async () => {
  const { rows } = await t.sql.query<{ tx_hash: string; state: string }>(
    'SELECT tx_hash, state::text FROM journal_entry WHERE retirement_id = (SELECT max(id) FROM retirement)',
  );
  return new Map(rows.map(({ tx_hash, state }) => [tx_hash, state]));
};

describe('the withdrawals that wait for a retirement', () => {
  it('are the completed burns of the token, with the sum of their amounts', async () => {
    const one = await completed({ amount: 1_000n, fee: 10n, outputAmount: 990n });
    const two = await completed({ amount: 500n, fee: 1n, outputAmount: 499n });
    await burnt();
    await completed({ asset: 'ETH' });
    expect(await waitingFor()).toMatchObject({ operationIds: [one.id, two.id], amount: 1_500n, lastFailedAt: null });
  });

  it('include neither deposits nor withdrawals of native XCN', async () => {
    const deposit = aDeposit();
    const block = await t.mine(ETHEREUM, { events: [opening(deposit)] });
    const seen = { blockHash: block.hash, confirmations: 12, finalBlock: block, holdUntil: null };
    await t.store.operations.finalize(t.fence, ETHEREUM, deposit.id, seen);
    const paid = await t.mine(PARTNER, { events: [paying(deposit)] });
    expect(await t.store.operations.settle(t.fence, aDelivery(PARTNER, paid))).toBe(true);
    expect(await waitingFor()).toBeNull();
    const native = await t.due(aNativeWithdrawal());
    const released = await t.mine(ETHEREUM, { events: [paying(native)] });
    expect(await t.store.operations.settle(t.fence, aDelivery(ETHEREUM, released))).toBe(true);
    expect(await t.store.retirements.findWaiting(PARTNER, 'XCN')).toBeNull();
    for (const { id } of [native, anIntent()]) {
      const join = t.sql.query(`INSERT INTO retired_operation VALUES ($1, 1)`, [id]);
      await expect(join).rejects.toThrow(/cannot join/);
    }
  });

  it.each([
    ['its burn', PARTNER],
    ['its release', ETHEREUM],
  ])('exclude one that lost %s in a reorg that an operator accepted', async (_, chainId) => {
    const kept = await completed();
    const { number } = await t.mine(chainId);
    const waiting = await completed();
    const before = (await waitingFor())!;
    await t.store.halts.halt(chainId, 'finality broken');
    const [halt] = await t.store.halts.list();
    await t.store.halts.liftAndRollBack(halt!, number);
    expect(before.operationIds).toEqual([kept.id, waiting.id]);
    expect(await record(before)).toBeNull();
    expect(await waitingFor()).toMatchObject({ operationIds: [kept.id], amount: kept.amount });
  });
});

describe('the unretired amount', () => {
  it('is the sum of the burns up to a block that are not retired, paid or not', async () => {
    const unretired = (block: bigint) => t.store.retirements.unretiredAmount(PARTNER, 'USDC', block);
    const { number } = await t.mine(PARTNER);
    const before = await unretired(number);
    await completed();
    const open = await burnt();
    const late = await t.mine(PARTNER);
    await burnt();
    expect(await unretired(number)).toBe(before);
    expect(await unretired(late.number)).toBe(before + 2_000n);
    await record((await waitingFor())!);
    expect(await unretired(late.number)).toBe(before + 1_000n);
    await t.store.operations.delay(t.fence, open.id, 'KEEPS_REVERTING', new Date());
    expect(await unretired(late.number)).toBe(before);
  });
});

describe('a retirement', () => {
  it('reserves the next nonce of the wallet, between deliveries', async () => {
    const first = await started();
    await conclude(first, 'done');
    const second = await started();
    expect(second.nonce).toBe(first.nonce + 1n);
    expect(second).toMatchObject({ purpose: 'RETIREMENT', state: 'PENDING', raw: '0x02' });
    expect(await t.store.journal.unmined(wallet, second.nonce)).toMatchObject([{ hash: second.hash }]);
    expect(await t.store.journal.unmined(wallet, second.nonce + 1n)).toEqual([]);
    expect(await t.store.journal.pending(PARTNER)).not.toContainEqual(expect.objectContaining({ hash: second.hash }));
  });

  it('is one at a time per token: of parallel attempts one is recorded', async () => {
    await completed();
    const waiting = (await waitingFor())!;
    const results = await Promise.all([record(waiting), record(waiting), record(waiting)]);
    expect(results.filter((signed) => signed !== null)).toHaveLength(1);
    expect(await t.store.retirements.pending(PARTNER)).toHaveLength(1);
    await completed();
    expect(await waitingFor()).toBeNull();
    expect(await record(waiting)).toBeNull();
  });

  it('is not recorded from a list that was read before the previous one ended', async () => {
    await completed();
    const waiting = (await waitingFor())!;
    await record(waiting);
    const entry = await pendingEntry();
    const row = await hold(t.sql, 'SELECT 1 FROM retirement WHERE id = $1 FOR UPDATE', [entry.retirementId]);
    const concluded = conclude(entry, 'done');
    await untilBlocked(t.sql, 1);
    const again = record(waiting);
    await row.release();
    expect(await concluded).toBe(true);
    expect(await again).toBeNull();
    expect(await record(waiting)).toBeNull();
  });

  it('releases its nonce and its withdrawals when signing fails', async () => {
    const { nonce } = await started();
    await conclude(await pendingEntry(), 'done');
    await completed();
    const waiting = (await waitingFor())!;
    const broken = t.store.retirements.record(t.fence, waiting, wallet, 0n, () =>
      Promise.reject(new Error('the KMS is down')),
    );
    await expect(broken).rejects.toThrow('the KMS is down');
    expect((await record((await waitingFor())!))?.nonce).toBe(nonce + 1n);
  });

  it('always has the sum of its operations', async () => {
    await completed();
    const waiting = (await waitingFor())!;
    await expect(record({ ...waiting, amount: waiting.amount + 1n })).rejects.toThrow(/its operations have/);
    expect(await record({ ...waiting, operationIds: [...waiting.operationIds, aHash()] })).toBeNull();
    expect(await waitingFor()).toEqual(waiting);
  });

  it('that is mined retires its withdrawals, also when it was replaced before', async () => {
    const first = await started();
    const second = aSignature(first.nonce);
    expect(await t.store.retirements.replace(t.fence, first, second, 'RETIREMENT')).toBe(true);
    expect(await t.store.retirements.replace(t.fence, first, aSignature(first.nonce), 'RETIREMENT')).toBe(false);
    expect(await conclude(await pendingEntry(), 'done', first.hash)).toBe(true);
    expect(await states()).toEqual(
      new Map([
        [first.hash, 'CONFIRMED'],
        [second.hash, 'REPLACED'],
      ]),
    );
    expect(await waitingFor()).toBeNull();
    expect(await conclude(first, 'reverted')).toBe(false);
  });

  it.each(['reverted', 'cancelled', 'taken'] as const)('that was %s frees its withdrawals', async (kind) => {
    const entry = await started();
    if (kind === 'taken') {
      const use: NonceUse = { kind };
      expect(await t.store.retirements.conclude(t.fence, entry, use)).toBe(true);
    } else expect(await conclude(entry, kind)).toBe(true);
    expect(await states()).toEqual(new Map([[entry.hash, kind === 'cancelled' ? 'CONFIRMED' : 'REVERTED']]));
    const waiting = (await waitingFor())!;
    expect(waiting).toMatchObject({ amount: 1_000n, lastFailedAt: expect.any(Date) });
    expect(await record(waiting)).not.toBeNull();
  });

  it('is not concluded from a block of another branch', async () => {
    const entry = await started();
    const { number } = await t.mine(PARTNER);
    const use: NonceUse = { kind: 'done', txHash: entry.hash, block: { number, hash: aHash() } };
    expect(await t.store.retirements.conclude(t.fence, entry, use)).toBe(false);
    expect(await pendingEntry()).toMatchObject({ hash: entry.hash });
  });

  it('has evidence until one of its events is rolled back', async () => {
    const { number } = await t.mine(PARTNER);
    const { retirementId } = await started();
    const evidence = await t.store.retirements.evidence(retirementId);
    expect(evidence).toEqual({ burn: expect.any(Object), release: expect.any(Object) });
    await t.store.halts.halt(PARTNER, 'finality broken');
    const [halt] = await t.store.halts.list();
    await t.store.halts.liftAndRollBack(halt!, number);
    expect(await t.store.retirements.evidence(retirementId)).toBeNull();
  });
});

describe.each([
  ['the partner chain', PARTNER],
  ['Ethereum', ETHEREUM],
])('while %s is halted', (_, halted) => {
  it('nothing is retired, replaced or concluded', async () => {
    const entry = await started();
    const block = await t.mine(PARTNER);
    await t.store.halts.halt(halted, 'a test');
    expect(await t.store.retirements.replace(t.fence, entry, aSignature(entry.nonce), 'RETIREMENT')).toBe(false);
    const use: NonceUse = { kind: 'done', txHash: entry.hash, block };
    expect(await t.store.retirements.conclude(t.fence, entry, use)).toBe(false);
    await t.store.halts.lift((await t.store.halts.list())[0]!);
    expect(await t.store.retirements.conclude(t.fence, entry, use)).toBe(true);
    await completed();
    const waiting = (await waitingFor())!;
    await t.store.halts.halt(halted, 'a test');
    expect(await record(waiting)).toBeNull();
    await t.store.halts.lift((await t.store.halts.list())[0]!);
    expect((await record(waiting))?.nonce).toBe(entry.nonce + 1n);
  });
});

describe('the invariants of the database', () => {
  it('keep the operations of a pending retirement, and keep an ended one unchanged', async () => {
    const { retirementId } = await started();
    await expect(t.sql.query('DELETE FROM retired_operation')).rejects.toThrow(/cannot join or leave/);
    const move = t.sql.query('UPDATE retired_operation SET retirement_id = $1', [retirementId]);
    await expect(move).rejects.toThrow(/cannot join or leave/);
    const change = t.sql.query('UPDATE retirement SET amount = 1 WHERE id = $1', [retirementId]);
    await expect(change).rejects.toThrow(/not allowed/);
    await conclude(await pendingEntry(), 'done');
    const reopen = t.sql.query(`UPDATE retirement SET state = 'FAILED' WHERE id = $1`, [retirementId]);
    await expect(reopen).rejects.toThrow(/not allowed/);
    await expect(t.sql.query('DELETE FROM retired_operation')).rejects.toThrow(/cannot join or leave/);
  });

  it('accept a retirement that was recorded by hand, if its sum is right', async () => {
    const { id } = await completed({ amount: 700n, fee: 10n, outputAmount: 690n });
    const byHand = (amount: number) => `
      BEGIN;
      INSERT INTO retirement (chain_id, asset, amount) VALUES (${PARTNER}, 'USDC', ${amount});
      INSERT INTO retired_operation SELECT '${id}', max(id) FROM retirement;
      UPDATE retirement SET state = 'CONFIRMED', ended_at = now() WHERE state = 'PENDING';
      COMMIT;`;
    await expect(t.sql.query(byHand(701))).rejects.toThrow(/its operations have 700/);
    expect(await waitingFor()).toMatchObject({ operationIds: [id] });
    await t.sql.query(byHand(700));
    expect(await waitingFor()).toBeNull();
  });

  it('require one operation or one retirement for a journal entry', async () => {
    const { hash } = await started();
    const both = t.sql.query('UPDATE journal_entry SET operation_id = (SELECT min(id) FROM operation)');
    await expect(both).rejects.toThrow(/is_for_one/);
    const none = t.sql.query('UPDATE journal_entry SET retirement_id = NULL WHERE tx_hash = $1', [hash]);
    await expect(none).rejects.toThrow(/is_for_one/);
    const delivery = t.sql.query(`UPDATE journal_entry SET purpose = 'DELIVERY' WHERE tx_hash = $1`, [hash]);
    await expect(delivery).rejects.toThrow(/purpose_fits/);
  });
});

describe('a relayer that lost its lease', () => {
  it('records, replaces and concludes nothing', async () => {
    const entry = await started();
    const other = openStore({ databaseUrl: t.url, onIdleError: () => undefined });
    await t.store.lease.release(t.fence);
    const next = (await other.lease.acquire('relayer', 'other', 600_000))!;
    await other.close();
    const old = t.fence;
    t = { ...t, fence: next };
    const use: NonceUse = { kind: 'taken' };
    await expect(t.store.retirements.conclude(old, entry, use)).rejects.toThrow(FenceLostError);
    const replace = t.store.retirements.replace(old, entry, aSignature(entry.nonce), 'RETIREMENT');
    await expect(replace).rejects.toThrow(FenceLostError);
    await t.store.retirements.conclude(next, entry, use);
    const sign = (nonce: bigint) => Promise.resolve(aSignature(nonce));
    const late = t.store.retirements.record(old, (await waitingFor())!, wallet, 0n, sign);
    await expect(late).rejects.toThrow(FenceLostError);
    expect(await t.store.retirements.pending(PARTNER)).toEqual([]);
  });
});
