import { describe, expect, it } from '@jest/globals';
import { aHash, ETHEREUM, PARTNER } from '@causeway/test-kit';
import type { Hex } from 'viem';
import type { RelatedRecords } from '../../src/index.js';
import { useStore } from '../temporary-store.js';
import { aSignature, aTransfer, paying } from '../../src/test/rows.js';

const t = useStore();

const find = (txHash: Hex) => t.store.related.find(txHash, [ETHEREUM, PARTNER]);
const NOTHING: RelatedRecords = { deliveredIds: [], replacedBy: null, refundedId: null, hasUnboundTransfer: false };

describe('the records of a transaction', () => {
  it('are empty for an unknown transaction', async () => {
    expect(await find(aHash())).toEqual(NOTHING);
  });

  it('include the operations that it delivers, from its broadcast on', async () => {
    const [one, two] = [await t.due(), await t.due()];
    const call = (await t.record(one, two))!;
    const { hash } = call.transactions[0]!;
    const delivery = { ...NOTHING, deliveredIds: [one.id, two.id] };
    expect(await find(hash)).toEqual(delivery);
    const { number } = await t.mine(PARTNER, { events: [paying(one, hash), { ...paying(two, hash), logIndex: 1 }] });
    expect(number).toBeGreaterThan(0n);
    expect(await find(hash)).toEqual(delivery);
    await t.conclude(call, 'SUCCEEDED');
    expect(await find(hash)).toEqual(delivery);
  });

  it('include the transaction that replaced it, once that is final', async () => {
    const terms = await t.due();
    const call = (await t.record(terms))!;
    const first = call.transactions[0]!.hash;
    const second = aSignature(call.nonce);
    await t.store.journal.replace(t.fence, call, second, false);
    // Either one can still be mined.
    for (const hash of [first, second.hash]) expect(await find(hash)).toEqual({ ...NOTHING, deliveredIds: [terms.id] });
    const replaced = (await t.store.journal.withNonce({ chainId: call.chainId, address: call.address }, call.nonce))!;
    await t.conclude(replaced, 'SUCCEEDED');
    expect(await find(first)).toEqual({ ...NOTHING, deliveredIds: [terms.id], replacedBy: second.hash });
  });

  it('exclude the operations of a reverted call, which another call pays', async () => {
    const terms = await t.due();
    const call = (await t.record(terms))!;
    await t.conclude(call, 'REVERTED', [
      { operationId: terms.id, reason: 'DESTINATION_REVERTED', nextAttemptAt: null },
    ]);
    expect(await find(call.transactions[0]!.hash)).toEqual(NOTHING);
  });

  it('include a transfer that matches no intent', async () => {
    const transfer = aTransfer({});
    await t.mine(PARTNER, { transfers: [transfer] });
    expect(await find(transfer.txHash)).toEqual({ ...NOTHING, hasUnboundTransfer: true });
  });
});
