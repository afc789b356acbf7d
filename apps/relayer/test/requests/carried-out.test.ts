import { describe, expect, it } from '@jest/globals';
import { FenceLostError } from '@causeway/store';
import { anIntent, aSignature, CLIENT } from '@causeway/store/test';
import { aHash, anAddress, PARTNER } from '@causeway/test-kit';
import {
  admin,
  ask,
  BOTH,
  delayed,
  done,
  due,
  fence,
  first,
  nodes,
  otherAdmin,
  readEnds,
  readState,
  refundTerms,
  requested,
  run,
  store,
  WALLET,
} from './request-world.js';

describe('a request is carried out once', () => {
  it('RETRY ends the delay of an operation, and reports that the cause remains', async () => {
    const operationId = await delayed();
    const { outcome } = await done({ kind: 'RETRY', operationId });
    expect(outcome).toContain('It waits as FLOAT_SHORT: it is delivered only once that cause is gone');
    expect(await store.operations.findById(operationId)).toMatchObject({ nextAttemptAt: null });
  });

  it('CANCEL marks the call of a delivery whose origin is gone', async () => {
    const operationId = await due();
    const nonce = await store.journal.nextNonce(WALLET);
    const call = { nonce, to: anAddress('mint'), data: '0x01', value: 0n, transaction: aSignature(nonce) } as const;
    await store.journal.record(fence, WALLET, [
      { ...call, subject: { purpose: 'DELIVERY', operationIds: [operationId] } },
    ]);
    await done({ kind: 'CANCEL', operationId }, BOTH);
    expect(await store.journal.findPending(operationId)).toMatchObject({ isCancelled: true });
  });

  it('HALT and RESUME stop and resume a chain', async () => {
    await done({ kind: 'HALT', target: 'partner' });
    expect(await store.halts.list()).toMatchObject([{ chainId: PARTNER, reason: 'a test' }]);
    await done({ kind: 'RESUME', target: 'partner', accept: 'nothing' });
    expect(await store.halts.list()).toEqual([]);
  });

  it('HALT and RESUME stop and resume deliveries', async () => {
    await done({ kind: 'HALT', target: 'deliveries' });
    expect(await store.halts.deliveries()).toMatchObject({ reason: 'a test' });
    await done({ kind: 'RESUME', target: 'deliveries', accept: 'unknown' }, BOTH);
    expect(await store.halts.deliveries()).toBeNull();
  });

  it('REFUND_APPROVE and REFUND_REFUSE decide about a refund', async () => {
    const refund = await requested();
    const { id } = await done(refundTerms(refund), BOTH);
    expect(await store.refunds.find(refund.id)).toMatchObject({
      status: 'APPROVED',
      recipient: refund.payer,
      approvedBy: id,
    });
    await done({ kind: 'REFUND_REFUSE', refundId: refund.id }, BOTH);
    expect(await store.refunds.find(refund.id)).toMatchObject({ status: 'REFUSED' });
    // A small refund, with one approval.
    await done(refundTerms(await requested(100n)), { by: [first] });
  });

  it('INTENT_REJECT marks an intent, which fails when its transfer is final', async () => {
    const { id, sender, ...terms } = anIntent();
    const keys = {
      nonce: aHash(),
      idempotencyKey: aHash(),
      deadlineSeconds: 2_000_000_000n,
      signature: '0x01',
    } as const;
    const expiresAt = new Date(2_000_000_000_000);
    await store.intents.register({ id, sender, ...terms }, { id, sender, ...keys, ...CLIENT, expiresAt });
    const request = await done({ kind: 'INTENT_REJECT', intentId: id }, BOTH);
    expect(await store.intents.find(id)).toMatchObject({ rejectedBy: request.id });
  });

  it('MEMBER_SET and MEMBER_REMOVE change the allow-list, with the signed request in the row', async () => {
    const address = anAddress();
    const by = [admin, otherAdmin];
    const { id, approvals } = await done({ kind: 'MEMBER_SET', address, role: 'operator' }, { by });
    const member = await store.adminMembers.find(address);
    expect(member).toMatchObject({ role: 'operator', requestId: id, request: { id, decidedOn: { role: null } } });
    expect(member?.approvals).toEqual(approvals.map(({ operator, signature }) => ({ operator, signature })));
    await done({ kind: 'MEMBER_REMOVE', address }, { by });
    expect(await store.adminMembers.find(address)).toBeNull();
  });
});

describe('a request survives', () => {
  it('unavailable nodes: it waits, while a halt does not', async () => {
    await done({ kind: 'HALT', target: 'partner' });
    nodes.answer = false;
    const resume = await ask({ kind: 'RESUME', target: 'partner', accept: 'nothing' });
    const halt = await ask({ kind: 'HALT', target: 'ethereum' });
    await expect(run()).rejects.toThrow('no node answers');
    expect([await readState(resume.id), await readState(halt.id)]).toEqual(['QUEUED', 'DONE']);
    nodes.answer = true;
    await run();
    expect(await readState(resume.id)).toBe('DONE');
    for (const each of await store.halts.list()) await store.halts.lift(each);
  });

  it('a takeover: the former relayer does not carry it out, and the new one does so once', async () => {
    const operationId = await delayed();
    const { id } = await ask({ kind: 'RETRY', operationId });
    const former = { ...fence, token: fence.token - 1n };
    await expect(run(former)).rejects.toThrow(FenceLostError);
    expect(await readState(id)).toBe('QUEUED');
    // Two stages of the same holder in one moment: one of them carries it out.
    await Promise.all([run(), run()]);
    expect(await readState(id)).toBe('DONE');
    expect(await readEnds(id)).toEqual(['retry']);
  });
});

describe('the audit log', () => {
  it('is intact after all these requests', async () => {
    expect((await store.adminAudit.verify()).broken).toBeNull();
  });
});
