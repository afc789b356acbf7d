import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DelayReason } from '@causeway/protocol';
import { adminOperationResponseSchema, type AdminOperationResponse } from '@causeway/protocol/admin';
import { aDelivery, aDeposit, aSignature, opening, paying } from '@causeway/store/test';
import { anAddress, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { temporaryAdmin, type SignedIn, type TemporaryAdmin } from './temporary-admin.js';

// The life of one operation as the relayer writes it and the console shows it. The block times of these chains are far
// from the database's clock, so times alone would order the delivery before the deposit.

const XCN = 10n ** 18n;
const wallet = { chainId: PARTNER, address: anAddress('relayer') };
const deposit = aDeposit({ asset: 'XCN', amount: 2_000_000n * XCN });

let t: TemporaryAdmin;
let viewer: SignedIn;
beforeAll(async () => {
  t = await temporaryAdmin();
  viewer = await t.signedIn('viewer');
  const origin = await t.scan(ETHEREUM, { events: [opening(deposit)] });
  const finality = { blockHash: origin.hash, confirmations: 12, finalizedAt: origin.timestamp, holdUntil: null };
  await t.store.operations.finalizeAll(t.fence, [{ operationId: deposit.id, ...finality }]);
});
afterAll(async () => t?.close());

const read = async (): Promise<AdminOperationResponse> =>
  adminOperationResponseSchema.parse((await viewer.get(`/operations/${deposit.id}`)).body);
const told = ({ timeline }: AdminOperationResponse) =>
  timeline.map(({ event, cause }) => (event.startsWith('DELAY') ? `${event} ${cause}` : event));

async function delay(reason: DelayReason): Promise<void> {
  await t.store.operations.delayAll(t.fence, [{ operationId: deposit.id, reason, nextAttemptAt: new Date(0) }]);
  // The database stores milliseconds, so two reasons must differ by at least one.
  await sleep(2);
}

describe('the timeline of an operation', () => {
  it('shows a short float, then a pause, and no delivery', async () => {
    await delay('FLOAT_SHORT');
    await delay('FLOAT_SHORT');
    await delay('PAUSED');
    const record = await read();
    expect(told(record)).toEqual(['CREATED', 'FINAL', 'DELAYED FLOAT_SHORT', 'DELAYED PAUSED']);
    expect(record.deliveredAmount).toBeNull();
  });

  it('keeps both after the delivery, and shows it signed, mined and settled in this order', async () => {
    const transaction = aSignature(0n);
    const subject = { purpose: 'DELIVERY', operationIds: [deposit.id] } as const;
    const call = { nonce: 0n, to: anAddress('mint'), data: '0x01', value: 0n, subject, transaction } as const;
    expect(await t.store.journal.record(t.fence, wallet, [call])).toMatchObject({ kind: 'recorded' });
    const block = await t.scan(PARTNER, { events: [paying(deposit, transaction.hash)] });
    await t.store.operations.settleAll(t.fence, [aDelivery(PARTNER, block)]);
    const record = await read();
    expect(told(record)).toEqual([
      'CREATED',
      'FINAL',
      'DELAYED FLOAT_SHORT',
      'DELAYED PAUSED',
      'DELAY_ENDED PAUSED',
      'SIGNED',
      'MINED',
      'SETTLED',
    ]);
    expect(record.deliveredAmount).toBe(deposit.outputAmount.toString());
  });
});
