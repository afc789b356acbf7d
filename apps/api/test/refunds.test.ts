import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { computeRefundId } from '@causeway/protocol';
import { aTransfer } from '@causeway/store/test';
import { aHash, anAddress, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { refusal, temporaryApi, type TemporaryApi } from './temporary-api.js';

let api: TemporaryApi;
beforeAll(async () => {
  api = await temporaryApi();
});
afterAll(async () => api.close());

const AMOUNT = 7_000n * 10n ** 18n;

/** Stores a final transfer that pays no intent. Returns the id of its operation, which is also its refund id. */
async function unmatched(payer = anAddress()) {
  const transfer = aTransfer({ payer, amount: AMOUNT });
  const block = await api.scan(PARTNER, { transfers: [transfer] });
  const arrivals = await api.store.refunds.findUnmatched(PARTNER, block.number);
  const final = arrivals.map((arrival) => ({ ...arrival, finalizedAt: block.timestamp, confirmations: 3 }));
  const chains = { ethereum: ETHEREUM, partner: PARTNER };
  expect(await api.store.refunds.failArrivals(api.fence, final, chains)).toHaveLength(1);
  return { id: computeRefundId({ chainId: PARTNER, ...transfer }), transfer, payer };
}

describe('a transfer that pays no intent', () => {
  it('is a failed operation in its status, and in the history of its payer', async () => {
    const { id, transfer, payer } = await unmatched();
    const status = await api.get(`/api/v1/bridge/status?originTxHash=${transfer.txHash}`);
    expect(status).toMatchObject({
      status: 200,
      body: {
        id,
        status: 'FAILED',
        asset: 'XCN',
        direction: 'PARTNER_TO_ETHEREUM',
        amount: AMOUNT.toString(),
        fee: { amount: '0', bps: 0 },
        outputAmount: '0',
        failureReason: 'TRANSFER_UNMATCHED',
        failureMessage: expect.stringContaining('refundId'),
        refundId: id,
        depositId: null,
        withdrawId: null,
        intentId: null,
        sender: payer,
        originConfirmations: 3,
        settlement: null,
      },
    });
    const history = await api.get(`/api/v1/bridge/history?address=${payer}`);
    expect(history.body).toMatchObject({ operations: [{ id }] });
  });

  it('has a refund id but no deposit or withdrawal id', async () => {
    const { id } = await unmatched();
    expect(await api.get(`/api/v1/bridge/status?withdrawId=${id}`)).toEqual(refusal(404, 'OPERATION_NOT_FOUND'));
  });
});

describe('GET /bridge/refunds/{id}', () => {
  it('shows a refund from its request to its refusal', async () => {
    const { id, payer } = await unmatched();
    const requested = {
      id,
      operationId: id,
      status: 'REQUESTED',
      chainId: PARTNER,
      asset: 'XCN',
      payer,
      amount: AMOUNT.toString(),
      amountFormatted: '7000',
      payment: null,
    };
    expect((await api.get(`/api/v1/bridge/refunds/${id}`)).body).toMatchObject(requested);
    const refuse = { kind: 'refuse-refund', refundId: id } as const;
    expect(await api.store.requests.perform(refuse, { action: 'refund-refuse' })).toBe(true);
    expect((await api.get(`/api/v1/bridge/refunds/${id}`)).body).toMatchObject({ ...requested, status: 'REFUSED' });
  });

  it('refuses an id of the wrong length, and an unknown id', async () => {
    expect(await api.get('/api/v1/bridge/refunds/0x12')).toEqual(
      refusal(400, 'VALIDATION_ERROR', expect.stringContaining('id')),
    );
    expect(await api.get(`/api/v1/bridge/refunds/${aHash()}`)).toEqual(refusal(404, 'OPERATION_NOT_FOUND'));
  });
});
