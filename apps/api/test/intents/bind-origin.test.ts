import { describe, expect, it } from '@jest/globals';
import { lower } from '@causeway/chain';
import { computeRefundId } from '@causeway/protocol';
import { aHash, anAddress, PARTNER, waitUntil } from '@causeway/test-kit';
import { createWalletClient, type Address, type Hex } from 'viem';
import { bridge, api, registered, scanTransfer } from './registered-intents.js';
import { alice, bob, INTENT, nextAmount } from '../signed-intent.js';
import { refusal, type Answer } from '../temporary-api.js';

const bind = (body: object): Promise<Answer> => api.post(`${INTENT}/bind-origin`, body);

/** Makes the origin of an intent final, without a hold. */
async function finalize(operationId: Hex): Promise<void> {
  const blockHash = (await api.store.operations.findById(operationId))?.origin?.blockHash ?? '0x';
  const final = { operationId, blockHash, confirmations: 3, finalizedAt: new Date(), holdUntil: null };
  expect((await api.store.operations.finalizeAll(api.fence, [final])).size).toBe(1);
}

/** Sends native XCN on the partner chain and waits until it is mined. */
async function pay(value: bigint, from = alice, to: Address = bridge.book.relayer): Promise<Hex> {
  const { chain, transport } = bridge.partner;
  const hash = await createWalletClient({ chain, transport, account: from }).sendTransaction({ to, value });
  await bridge.partner.client.waitForTransactionReceipt({ hash });
  return hash;
}

describe('POST /bridge/xcn-withdraw-intent/bind-origin', () => {
  const senderAddress = lower(alice.address);

  it('accepts a transaction that is not visible yet, and then a later one instead', async () => {
    const { intentId } = await registered({ amountAtomic: nextAmount().toString() });
    for (const originTxHash of [aHash(), aHash()]) {
      const body = { intentId, originTxHash, status: 'PENDING_ORIGIN_TX' };
      expect(await bind({ intentId, senderAddress, originTxHash })).toMatchObject({ status: 200, body });
      expect((await api.store.intents.find(intentId))?.proposedOriginTxHash).toBe(originTxHash);
    }
  });

  it('accepts a mined transaction that pays the intent', async () => {
    const amount = nextAmount();
    const { intentId } = await registered({ amountAtomic: amount.toString() });
    const originTxHash = await pay(amount);
    expect(await bind({ intentId, senderAddress, originTxHash })).toMatchObject({ status: 200 });
  });

  it('of a replaced transaction returns the one that was mined', async () => {
    const amount = nextAmount();
    const { intentId } = await registered({ amountAtomic: amount.toString() });
    const { chain, transport, test, client } = bridge.partner;
    const wallet = createWalletClient({ chain, transport, account: alice });
    const nonce = await client.getTransactionCount({ address: alice.address });
    const gasPrice = 2n * (await client.getGasPrice());
    const payment = { to: bridge.book.relayer, value: amount, nonce };
    await test.setAutomine(false);
    const slow = await wallet.sendTransaction({ ...payment, gasPrice });
    expect(await bind({ intentId, senderAddress, originTxHash: slow })).toMatchObject({ status: 200 });
    const fast = await wallet.sendTransaction({ ...payment, gasPrice: 2n * gasPrice });
    await test.mine({ blocks: 1 });
    await test.setAutomine(true);
    expect(await client.getTransactionReceipt({ hash: fast })).toMatchObject({ status: 'success' });
    const key = await scanTransfer(fast, amount);
    expect(await api.store.intents.bind(api.fence, key, intentId)).toBe(true);
    for (const originTxHash of [slow, fast]) {
      expect(await bind({ intentId, senderAddress, originTxHash })).toMatchObject({
        status: 200,
        body: { originTxHash: fast, status: 'CONFIRMING' },
      });
    }
  });

  it('refuses a mined transaction of another amount, payer or receiver', async () => {
    const amount = nextAmount();
    const { intentId } = await registered({ amountAtomic: amount.toString() });
    const wrong = [await pay(amount - 1n), await pay(amount, bob), await pay(amount, alice, bob.address)];
    for (const originTxHash of wrong) {
      expect(await bind({ intentId, senderAddress, originTxHash })).toEqual(
        refusal(400, 'VALIDATION_ERROR', expect.stringContaining('originTxHash')),
      );
    }
  });

  it('refuses a scanned transfer of another amount, or from outside the window of the intent', async () => {
    const amount = nextAmount();
    const { intentId } = await registered({ amountAtomic: amount.toString() });
    const [little, early] = [aHash(), aHash()];
    await scanTransfer(little, amount - 1n);
    await scanTransfer(early, amount, senderAddress, new Date(Date.now() - 3_600_000));
    expect(await bind({ intentId, senderAddress, originTxHash: little })).toEqual(
      refusal(400, 'VALIDATION_ERROR', expect.stringMatching(/exactly 6000\.\d+ XCN from .*plain transfer/)),
    );
    expect(await bind({ intentId, senderAddress, originTxHash: early })).toEqual(
      refusal(400, 'VALIDATION_ERROR', expect.stringContaining('window')),
    );
  });

  it('answers a repeated bind with the present status, and refuses another transaction or another intent', async () => {
    const amount = nextAmount();
    const { intentId } = await registered({ amountAtomic: amount.toString() });
    const originTxHash = aHash();
    const key = await scanTransfer(originTxHash, amount);
    expect(await bind({ intentId, senderAddress, originTxHash })).toMatchObject({ status: 200 });
    expect(await api.store.intents.bind(api.fence, key, intentId)).toBe(true);
    expect(await bind({ intentId, senderAddress, originTxHash })).toMatchObject({
      status: 200,
      body: { intentId, originTxHash, status: 'CONFIRMING' },
    });
    expect(await bind({ intentId, senderAddress, originTxHash: aHash() })).toEqual(
      refusal(409, 'INTENT_ALREADY_BOUND', expect.stringContaining(originTxHash)),
    );
  });

  it('takes the transaction of an equal intent until that is final, and is 200 whichever the relayer paired first', async () => {
    const terms = { amountAtomic: nextAmount().toString(), recipientAddress: anAddress() };
    const [first, second] = [await registered(terms), await registered(terms)];
    const originTxHash = aHash();
    const key = await scanTransfer(originTxHash, BigInt(terms.amountAtomic));
    expect(await api.store.intents.bind(api.fence, key, first.intentId)).toBe(true);
    expect(await bind({ intentId: second.intentId, senderAddress, originTxHash })).toMatchObject({ status: 200 });
    expect(await api.store.intents.exchange(api.fence, key, second.intentId)).toBe(true);
    const bound = { status: 200, body: { originTxHash, status: 'CONFIRMING' } };
    expect(await bind({ intentId: second.intentId, senderAddress, originTxHash })).toMatchObject(bound);
    expect(await bind({ intentId: first.intentId, senderAddress, originTxHash })).toMatchObject({ status: 200 });
    await finalize(second.intentId);
    expect(await bind({ intentId: first.intentId, senderAddress, originTxHash })).toEqual(
      refusal(409, 'DUPLICATE_ORIGIN_TX'),
    );
  });

  it('of a failed intent is INTENT_NOT_PENDING, and its status says why and where the refund is', async () => {
    const amount = nextAmount();
    const { intentId } = await registered({ amountAtomic: amount.toString() });
    const originTxHash = aHash();
    await api.store.intents.bind(api.fence, await scanTransfer(originTxHash, amount), intentId);
    await finalize(intentId);
    expect(await api.store.refunds.failIntent(api.fence, intentId, 'SIGNATURE_REVOKED')).toBe(true);
    expect(await bind({ intentId, senderAddress, originTxHash: aHash() })).toEqual(refusal(409, 'INTENT_NOT_PENDING'));
    const failed = await api.get(`/api/v1/bridge/status?intentId=${intentId}`);
    const place = { chainId: PARTNER, txHash: originTxHash, asset: 'XCN', callIndex: 0 } as const;
    expect(failed.body).toMatchObject({
      status: 'FAILED',
      failureReason: 'SIGNATURE_REVOKED',
      failureMessage: expect.stringContaining('sign a new intent'),
      refundId: computeRefundId(place),
    });
  });

  it('refuses an unknown intent, and a sender that did not sign it', async () => {
    const { intentId } = await registered();
    const originTxHash = aHash();
    expect(await bind({ intentId: aHash(), senderAddress, originTxHash })).toEqual(refusal(404, 'INTENT_NOT_FOUND'));
    expect(await bind({ intentId, senderAddress: lower(bob.address), originTxHash })).toEqual(
      refusal(403, 'SENDER_MISMATCH'),
    );
  });

  it('refuses an intent after its window', async () => {
    const deadline = Math.floor(Date.now() / 1_000) + 2;
    const { intentId } = await registered({ deadline });
    await waitUntil('the window has passed', () => Date.now() > deadline * 1_000);
    const late = { intentId, senderAddress, originTxHash: aHash() };
    expect(await bind(late)).toEqual(refusal(410, 'INTENT_EXPIRED'));
    const newest = await api.scan(PARTNER, { timestamp: new Date() });
    expect(await api.store.intents.expire(api.fence, intentId, newest)).toBe(true);
    expect(await bind(late)).toEqual(refusal(410, 'INTENT_EXPIRED'));
  });
});
