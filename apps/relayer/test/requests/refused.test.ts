import { describe, expect, it } from '@jest/globals';
import { lower } from '@causeway/chain';
import { computeVersion, type RequestTerms } from '@causeway/protocol/admin';
import { aHash, anAddress, ETHEREUM } from '@causeway/test-kit';
import {
  admin,
  ask,
  BOTH,
  CHAINS,
  done,
  first,
  mine,
  nodes,
  otherAdmin,
  readEnds,
  readState,
  refundTerms,
  requested,
  run,
  sql,
  store,
  stranger,
  type Ask,
} from './request-world.js';

/** Runs the stage and expects it to refuse the request. Returns the reason. */
async function refused(terms: RequestTerms, over: Ask = {}): Promise<string> {
  const { id } = await ask(terms, over);
  await run();
  const { state, outcome } = (await store.requests.find(id))!;
  expect(state).toBe('REFUSED');
  expect(await readEnds(id)).toEqual(['request-refused']);
  return outcome ?? '';
}

describe('a request is refused and changes nothing', () => {
  it('when the state has changed since it was signed', async () => {
    const refund = await requested();
    expect(await refused(refundTerms(refund), { ...BOTH, version: aHash() })).toContain('changed');
    // Two operators decided differently at the same moment: the first decision stands.
    const [one, other] = [
      await ask(refundTerms(refund), BOTH),
      await ask({ kind: 'REFUND_REFUSE', refundId: refund.id }, BOTH),
    ];
    await run();
    expect([await readState(one.id), await readState(other.id)]).toEqual(['DONE', 'REFUSED']);
    expect(await store.refunds.find(refund.id)).toMatchObject({ status: 'APPROVED' });
  });

  it.each<readonly [string, Ask]>([
    ['one operator alone', { by: [first] }],
    ['no operator', { by: [], needed: 0 }],
    ['an operator and a stranger', { by: [first, stranger] }],
    ['operators who signed other terms', { ...BOTH, signed: { terms: { kind: 'HALT', target: 'ethereum' } } }],
    ['operators who signed another id', { ...BOTH, signed: { id: aHash() } }],
    ['operators who signed another expiry', { ...BOTH, signed: { validUntil: 1 } }],
    ['operators who signed another state', { ...BOTH, signed: { decidedOn: { about: 'nothing' } } }],
    ['admins of the console who are not operators', { by: [admin, otherAdmin] }],
  ])('when it is signed by %s', async (_, over) => {
    const refund = await requested();
    expect(await refused(refundTerms(refund), over)).toContain('must sign');
    expect(await store.refunds.find(refund.id)).toMatchObject({ status: 'REQUESTED', approvedBy: null });
  });

  it('when it names another recipient than the payer, with one signature', async () => {
    const refund = await requested(100n);
    const terms = { ...refundTerms(refund), recipient: anAddress() } as RequestTerms;
    expect(await refused(terms, { by: [first] })).toContain('2 people');
  });

  it('when operators who are not root admins want to add a member', async () => {
    const address = anAddress();
    expect(await refused({ kind: 'MEMBER_SET', address, role: 'admin' }, BOTH)).toContain('ADMIN_ALLOW_LIST');
    expect(await store.adminMembers.find(address)).toBeNull();
  });

  it('when its approvals are valid for longer than 15 minutes', async () => {
    const validUntil = Math.floor(Date.now() / 1_000) + 3_600;
    expect(await refused(refundTerms(await requested()), { ...BOTH, validUntil })).toContain('15 minutes');
  });

  it('while the nodes do not have the blocks that were read', async () => {
    await mine(ETHEREUM);
    await done({ kind: 'HALT', target: 'ethereum' });
    nodes.hasBlocks = false;
    const { id } = await ask({ kind: 'RESUME', target: 'ethereum', accept: 'nothing' });
    await run().catch(() => undefined);
    expect(await readState(id)).not.toBe('DONE');
    expect(await store.halts.list()).toHaveLength(1);
    nodes.hasBlocks = true;
    for (const halt of await store.halts.list()) await store.halts.lift(halt);
    await run();
  });

  it('when a writer of the database queued it, or queued an unreadable request', async () => {
    const refund = await requested();
    const version = computeVersion(await store.requests.readSnapshot(refundTerms(refund), CHAINS));
    const write = async (terms: unknown, state: unknown = { about: 'nothing' }) => {
      const id = aHash();
      await sql.query(
        `INSERT INTO admin_request (id, terms, reason, version, decided_on, requested_by, approvals_needed, valid_until, state, created_at)
         VALUES ($1, $2, 'forged', $3, $4, $5, 0, now() + interval '10 minutes', 'QUEUED', now())`,
        [id, JSON.stringify(terms), version, JSON.stringify(state), lower(first.address)],
      );
      return id;
    };
    const refusal = { kind: 'REFUND_REFUSE', refundId: refund.id };
    const ids = [await write(refundTerms(refund)), await write(refusal, {}), await write({ kind: 'PAY_ME' })];
    await run();
    for (const id of ids) expect(await readState(id)).toBe('REFUSED');
    expect(await store.refunds.find(refund.id)).toMatchObject({ status: 'REQUESTED' });
  });

  it('and EXPIRED after its expiry, even if it is signed', async () => {
    const refund = await requested();
    const validUntil = Math.floor(Date.now() / 1_000) - 1;
    const { id } = await ask(refundTerms(refund), { by: [first], validUntil });
    await run();
    expect(await store.requests.find(id)).toMatchObject({ state: 'EXPIRED' });
    expect(await store.refunds.find(refund.id)).toMatchObject({ status: 'REQUESTED' });
  });
});

describe('the database', () => {
  it('cannot change signed fields or an ended request', async () => {
    const { id } = await done(refundTerms(await requested()), BOTH);
    const change = async (text: string) => sql.query(text, [id]);
    for (const text of [
      `UPDATE admin_request SET state = 'QUEUED' WHERE id = $1`,
      `UPDATE admin_request SET terms = '{}' WHERE id = $1`,
      `DELETE FROM admin_request WHERE id = $1`,
      `DELETE FROM admin_approval WHERE request_id = $1`,
      `UPDATE admin_approval SET operator = signature WHERE request_id = $1`,
    ])
      await expect(change(text)).rejects.toThrow(/not allowed|cannot change/);
  });
});

describe('the audit log', () => {
  it('is intact after all these requests', async () => {
    expect((await store.adminAudit.verify()).broken).toBeNull();
  });
});
