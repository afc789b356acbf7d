import { describe, expect, it } from '@jest/globals';
import { computeRefundId } from '@causeway/protocol';
import { computeVersion, NOTIFICATIONS, type NotificationCode } from '@causeway/protocol/admin';
import { aHash, anAddress, ETHEREUM, PARTNER } from '@causeway/test-kit';
import type { Hex } from 'viem';
import type { PendingMessage, RequestEffect } from '../src/index.js';
import { hold, untilBlocked } from './interleave.js';
import { wallet, useStore } from './temporary-store.js';
import { aBurn, aDelivery, aDeposit, aTransfer, paying } from '../src/test/rows.js';

const CHAINS = { ethereum: ETHEREUM, partner: PARTNER };
const CHAT = { name: 'chat', isForCriticalOnly: false };
const PAGER = { name: 'pager', isForCriticalOnly: true };
const MINUTE_MS = 60_000;

const t = useStore();

interface Row {
  readonly code: string;
  readonly subject: string;
  readonly severity: string;
  readonly text: string;
  readonly repeats: number;
  readonly lasts: boolean;
}

/** The rows of a code, oldest first. */
async function readRows(code: string): Promise<Row[]> {
  const { rows } = await t.sql.query<Row>(
    `SELECT code, subject, severity, text, repeats, ended_at IS NULL AS lasts FROM notification WHERE code = $1 ORDER BY id`,
    [code],
  );
  return rows;
}

/** The pending messages of a channel about a code, some minutes from now. */
async function findPending(code: NotificationCode, channel = CHAT, minutes = 0): Promise<PendingMessage[]> {
  const pending = await t.store.notifications.findPending(channel, new Date(Date.now() + minutes * MINUTE_MS));
  return pending.filter((message) => message.code === code);
}

const recordSent = (message: PendingMessage | undefined, channel = CHAT) =>
  t.store.notifications.recordSent(t.fence, channel, message!, new Date());
const perform = (effect: RequestEffect, action = 'test') => t.store.requests.perform(effect, { action });
const halt = (chainId = PARTNER) => t.store.halts.halt(chainId, 'a test');
async function resume(): Promise<void> {
  for (const each of await t.store.halts.list()) await t.store.halts.lift(each);
}

async function requestRefund(): Promise<Hex> {
  const transfer = aTransfer();
  const { number, timestamp } = await t.mine(PARTNER, { transfers: [transfer] });
  const unmatched = await t.store.refunds.findUnmatched(PARTNER, number);
  const final = unmatched.map((arrival) => ({ ...arrival, finalizedAt: timestamp, confirmations: 6 }));
  await t.store.refunds.failArrivals(t.fence, final, CHAINS);
  return computeRefundId({ chainId: PARTNER, ...transfer });
}

async function request(approvalsNeeded: number): Promise<Hex> {
  const terms = { kind: 'HALT', target: 'ethereum' } as const;
  const decidedOn = await t.store.requests.readSnapshot(terms, CHAINS);
  const [id, validUntil] = [aHash(), Math.floor(Date.now() / 1_000) + 900];
  const signed = { id, terms, decidedOn, version: computeVersion(decidedOn), reason: 'a test', validUntil };
  const actor = { address: anAddress('operator'), role: 'operator', sessionId: null } as const;
  const asked = { ...signed, requestedBy: actor.address, approvalsNeeded };
  const { kind } = await t.store.requests.create(asked, null, { actor, now: new Date() });
  expect(kind).toBe('created');
  return id;
}

/** A payment by the wallet that is missing from its journal. */
async function pay(nonce: bigint): Promise<void> {
  const payment = { token: anAddress('token'), recipient: anAddress('payee'), amount: 1n };
  const name = { nonce, txHash: aHash(), minedAt: new Date(), refundId: null };
  await t.store.unjournaled.add(t.fence, wallet, { ...name, payment });
}

const name = (nonce: bigint) =>
  perform({ kind: 'name-transaction', name: { wallet, nonce, refundId: null, explanation: 'mine' } });
const differ = (block: number) =>
  t.sql.query('INSERT INTO balance_difference (chain_id, wallet, block_number, amount) VALUES ($1, $2, $3, 1)', [
    PARTNER,
    wallet.address,
    block,
  ]);

/** An operation whose number a final delivery with other terms used up, and the block of that delivery. */
async function useUp() {
  const terms = await t.due(aDeposit());
  const block = await t.mine(PARTNER, { events: [paying(terms)] });
  expect(await t.store.operations.delayUsedUp(t.fence, [aDelivery(PARTNER, block)])).toEqual(new Set([terms.id]));
  return aDelivery(PARTNER, block);
}

/** A delivery of no operation, with its verdict. */
async function deliverUnknown() {
  await t.mine(ETHEREUM, { events: [paying(aBurn())] });
  const [found] = (await t.store.verdicts.unjudged(ETHEREUM, 100)).slice(-1);
  await t.store.verdicts.record(t.fence, ETHEREUM, 'UNKNOWN', [found!.delivery]);
  return found!.delivery;
}

/** How to begin and end each condition twice. Two rows of a table share one notification. */
const CONDITIONS: Readonly<Partial<Record<NotificationCode, () => Promise<(() => Promise<unknown>)[]>>>> = {
  UnknownDelivery: async () => {
    const [first, second] = [await deliverUnknown(), await deliverUnknown()];
    return [
      async () => t.store.scan.rollBack(t.fence, ETHEREUM, second.blockNumber - 1n),
      async () => {
        await t.store.halts.haltDeliveries('a test');
        await t.store.halts.liftDeliveries((await t.store.halts.deliveries())!, [first]);
      },
    ];
  },
  NumberUsedUp: async () => {
    const used = [await useUp(), await useUp()];
    return used.map((delivery) => async () => t.store.operations.settleAll(t.fence, [delivery]));
  },
  BalanceUnexplained: async () => {
    for (const block of [7, 8]) await differ(block);
    return [7n, 8n].map((block) => async () => t.store.audits.explain(PARTNER, block, 'a test'));
  },
  UnnamedPayment: async () => {
    for (const nonce of [7n, 8n]) await pay(nonce);
    return [7n, 8n].map((nonce) => async () => name(nonce));
  },
  RefundsWait: async () => {
    const refunds = [await requestRefund(), await requestRefund()];
    return refunds.map((refundId) => async () => perform({ kind: 'refuse-refund', refundId }));
  },
};

describe('a lasting cause', () => {
  it.each(Object.entries(CONDITIONS))('%s has one row while it lasts, with its severity', async (code, begin) => {
    const [endFirst, endLast] = await begin();
    const { severity } = NOTIFICATIONS[code as NotificationCode];
    const row = { code, severity, repeats: 1 };
    expect(await readRows(code)).toEqual([expect.objectContaining({ ...row, lasts: true })]);
    await endFirst!();
    expect(await readRows(code)).toMatchObject([{ ...row, lasts: true }]);
    await endLast!();
    expect(await readRows(code)).toMatchObject([{ ...row, lasts: false }]);
  });

  it('Halted: for a chain, and for the deliveries on both chains', async () => {
    await halt();
    await t.store.halts.haltDeliveries('another test');
    const lasting = (await readRows('Halted')).filter(({ lasts }) => lasts);
    expect(lasting).toMatchObject([
      { subject: `${PARTNER}`, severity: 'critical', repeats: 0, text: `Chain ${PARTNER} is halted: a test` },
      { subject: 'deliveries', repeats: 1, text: 'The deliveries are halted: another test' },
    ]);
    await resume();
    await t.store.halts.liftDeliveries((await t.store.halts.deliveries())!, []);
    expect((await readRows('Halted')).filter(({ lasts }) => lasts)).toEqual([]);
  });

  it('ApprovalsWait: for each request until it is decided, unless no signature is needed', async () => {
    const id = await request(1);
    const row = { subject: id, severity: 'info', text: expect.stringContaining('The request HALT of 0x') };
    expect(await readRows('ApprovalsWait')).toMatchObject([{ ...row, lasts: true }]);
    await t.store.requests.end(t.fence, id, { state: 'EXPIRED', outcome: 'late', now: new Date() });
    expect(await readRows('ApprovalsWait')).toMatchObject([{ ...row, lasts: false }]);
    const signed = await request(0);
    expect((await t.store.requests.find(signed))?.state).toBe('QUEUED');
    expect(await readRows('ApprovalsWait')).toHaveLength(1);
  });

  it('MembersChanged: for each change, as an event without a duration', async () => {
    const address = anAddress('new member');
    const proof = { id: aHash(), terms: { kind: 'MEMBER_REMOVE', address }, decidedOn: {}, reason: '', validUntil: 0 };
    const set = (role: 'viewer' | 'operator') =>
      perform({ kind: 'set-member', member: { address, role, request: proof as never, approvals: [] } });
    for (const role of ['viewer', 'viewer', 'operator'] as const) await set(role);
    await perform({ kind: 'remove-member', address });
    expect((await readRows('MembersChanged')).map(({ text, severity }) => [severity, text])).toEqual([
      ['warning', `${address} is a member of the console with the role viewer`],
      ['warning', `${address} is a member of the console with the role operator`],
      ['warning', `${address} is no longer a member of the console`],
    ]);
    const pending = await findPending('MembersChanged');
    expect(pending.map(({ kind }) => kind)).toEqual(['begun', 'begun', 'begun']);
    for (const message of pending) await recordSent(message);
    expect(await findPending('MembersChanged')).toEqual([]);
  });

  it('is in the list of causes, each of which is tested here', async () => {
    const { rows } = await t.sql.query<{ code: string }>('SELECT DISTINCT code FROM notification');
    expect(new Set(rows.map(({ code }) => code))).toEqual(new Set(Object.keys(NOTIFICATIONS)));
  });

  it('is rolled back with its notification', async () => {
    const before = await readRows('Halted');
    const effect = { kind: 'halt-chain', chainId: PARTNER, reason: 'never' } as const;
    await expect(perform(effect, 'Not an action')).rejects.toThrow('admin_audit_formats');
    expect(await t.store.halts.list()).toEqual([]);
    expect(await readRows('Halted')).toEqual(before);
  });

  it('needs no rights of the program on the outbox', async () => {
    await t.sql.query(
      `CREATE ROLE poor LOGIN; GRANT USAGE ON SCHEMA public TO poor; GRANT SELECT, UPDATE ON chain_cursor TO poor`,
    );
    const client = await t.sql.connect();
    try {
      await client.query('SET ROLE poor');
      await client.query(`UPDATE chain_cursor SET halted_at = now(), halted_reason = 'by poor' WHERE chain_id = $1`, [
        ETHEREUM,
      ]);
      await expect(client.query('SELECT 1 FROM notification')).rejects.toThrow('permission denied');
    } finally {
      await client.query('RESET ROLE');
      client.release();
    }
    expect(await readRows('Halted')).toContainEqual(expect.objectContaining({ subject: `${ETHEREUM}`, lasts: true }));
    await resume();
  });

  it('is not ended by a transaction that does not see it yet', async () => {
    const first = await requestRefund();
    const open = `SELECT 1 FROM notification WHERE code = 'RefundsWait' AND ended_at IS NULL FOR UPDATE`;
    const held = await hold(t.sql, open, []);
    const begins = requestRefund();
    await untilBlocked(t.sql, 1);
    const ends = perform({ kind: 'refuse-refund', refundId: first });
    await untilBlocked(t.sql, 2);
    await held.release();
    const second = await begins;
    await ends;
    expect((await readRows('RefundsWait')).filter(({ lasts }) => lasts)).toHaveLength(1);
    await perform({ kind: 'refuse-refund', refundId: second });
    expect((await readRows('RefundsWait')).filter(({ lasts }) => lasts)).toEqual([]);
  });
});

describe('a channel', () => {
  it('receives the beginning, and the end once it has accepted the beginning', async () => {
    await halt();
    const [begun] = await findPending('Halted');
    expect(begun).toMatchObject({ kind: 'begun', subject: `${PARTNER}`, attempts: 0, endedAt: null });
    expect(await findPending('Halted', PAGER)).toMatchObject([{ kind: 'begun' }]);
    await recordSent(begun);
    expect(await findPending('Halted')).toEqual([]);
    await resume();
    const [over] = await findPending('Halted');
    expect(over).toMatchObject({ kind: 'over', notificationId: begun!.notificationId });
    expect(await findPending('Halted', PAGER)).toEqual([]);
    await recordSent(over);
    expect(await findPending('Halted')).toEqual([]);
  });

  it('receives a recurring cause at most once in ten minutes', async () => {
    for (let flap = 0; flap < 3; flap += 1) {
      await halt();
      expect(await findPending('Halted')).toEqual([]);
      await resume();
    }
    await halt();
    expect(await findPending('Halted', CHAT, 9)).toEqual([]);
    expect(await findPending('Halted', CHAT, 11)).toMatchObject([{ kind: 'begun' }]);
    expect(await findPending('Halted', PAGER)).toMatchObject([{ kind: 'begun' }]);
    await resume();
    expect(await findPending('Halted', CHAT, 11)).toEqual([]);
  });

  it('keeps a message pending that it did not accept, and counts attempts', async () => {
    const refundId = await requestRefund();
    const readOne = async () => (await findPending('RefundsWait'))[0];
    const nextAttemptAt = new Date(Date.now() + MINUTE_MS);
    for (const attempts of [1, 2]) {
      await t.store.notifications.recordFailure(t.fence, CHAT, (await readOne())!, nextAttemptAt);
      expect(await readOne()).toMatchObject({ kind: 'begun', attempts, nextAttemptAt });
    }
    await recordSent(await readOne());
    await perform({ kind: 'refuse-refund', refundId });
    expect(await readOne()).toMatchObject({ kind: 'over', attempts: 0, nextAttemptAt: null });
  });

  it('for critical notifications receives no others', async () => {
    await requestRefund();
    expect(await findPending('RefundsWait', CHAT, 11)).not.toEqual([]);
    expect(await findPending('RefundsWait', PAGER, 11)).toEqual([]);
  });

  it('is written only by the holder of the lease', async () => {
    const [message] = await findPending('RefundsWait', CHAT, 11);
    const old = { ...t.fence, token: t.fence.token - 1n };
    await expect(t.store.notifications.recordSent(old, CHAT, message!, new Date())).rejects.toThrow('does not hold');
    expect(await findPending('RefundsWait', CHAT, 11)).toContainEqual(message);
  });
});
