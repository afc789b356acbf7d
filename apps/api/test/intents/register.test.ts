import { describe, expect, it } from '@jest/globals';
import { lower } from '@causeway/chain';
import {
  intentDigest,
  intentDomain,
  intentNonceHash,
  parseAmount,
  type IntentDomain,
  type IntentResponse,
} from '@causeway/protocol';
import { anIntent } from '@causeway/store/test';
import { aHash, PARTNER, waitUntil } from '@causeway/test-kit';
import { parseSignature, serializeCompactSignature, signatureToCompactSignature, zeroAddress } from 'viem';
import { bridge, api, intentBody, register, registered, scanTransfer } from './registered-intents.js';
import { alice, bob, INTENT, formatMessage, nextAmount, XCN } from '../signed-intent.js';
import { refusal, temporaryApi } from '../temporary-api.js';

describe('POST /bridge/xcn-withdraw-intent', () => {
  it('returns an intent restored by a rebuild, under any key and after its deadline', async () => {
    const amount = nextAmount();
    const body = await intentBody({ deadline: 1_700_000_000, amountAtomic: amount.toString() });
    const id = intentDigest(intentDomain(bridge.book.partner), formatMessage(body));
    const { senderAddress: sender, recipientAddress: recipient } = body;
    await scanTransfer(aHash(), amount, sender, new Date(1_699_999_000_000));
    const [payment] = await api.store.restore.unboundPayments(PARTNER, sender, amount);
    const isRestored = await api.store.restore.restoreIntent(api.fence, {
      terms: anIntent({ id, sender, recipient, amount, outputAmount: amount - 10n }),
      payment: payment!,
      nonceHash: intentNonceHash(body.nonce),
      deadlineSeconds: 1_700_000_000n,
      signature: body.signature,
      expiresAt: new Date(1_700_000_000_000),
    });
    expect(isRestored).toBe(true);
    const answer = { status: 200, body: { intentId: id, status: 'CONFIRMING' } };
    expect(await register(body)).toMatchObject(answer);
    expect(await register({ ...body, idempotencyKey: 'another' })).toMatchObject(answer);
  });

  it('accepts an intent with the terms of the contract, and names the wallet to pay to', async () => {
    const body = await intentBody({ amountAtomic: XCN.toString() });
    const { status, body: accepted } = await register(body);
    expect(status).toBe(200);
    expect(accepted).toEqual({
      intentId: intentDigest(intentDomain(bridge.book.partner), formatMessage(body)),
      relayerWalletAddress: bridge.book.relayer,
      status: 'PENDING_ORIGIN_TX',
      amountAtomic: XCN.toString(),
      amountFormatted: '6000',
      fee: { amount: parseAmount('XCN', '1000').toString(), formatted: '1000', bps: 25 },
      outputAmount: parseAmount('XCN', '5000').toString(),
      outputAmountFormatted: '5000',
      expiresAt: expect.any(String),
      // BridgeLock holds no XCN yet.
      deliverable: false,
      undeliverableReason: 'COLLATERAL_SHORT',
      deliverableAt: null,
    });
    const { intentId, expiresAt } = accepted as IntentResponse;
    const minutes = (Date.parse(expiresAt) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(29);
    expect(minutes).toBeLessThanOrEqual(30);
    expect((await api.get(`/api/v1/bridge/status?intentId=${intentId}`)).body).toMatchObject({
      status: 'PENDING_ORIGIN_TX',
      intentId,
      originTxHash: null,
    });
    // Repeating the request returns the same response and stores no second intent.
    expect(await register(body)).toMatchObject({ status: 200, body: accepted });
    const history = await api.get(`/api/v1/bridge/history?address=${body.recipientAddress}`);
    expect(history.body).toMatchObject({ operations: [{ id: intentId }], pagination: { hasMore: false } });
  });

  it('takes any Unicode text for the key and the nonce', async () => {
    const body = await intentBody({ nonce: `${aHash()} 한국어 \u{1F511}\n`, idempotencyKey: '\u{1F511}'.repeat(128) });
    const { status, body: answer } = await register(body);
    expect(status).toBe(200);
    expect(await register(body)).toMatchObject({ status: 200, body: answer });
  });

  it('refuses an amount below the minimum, naming the field', async () => {
    const tooLow = await intentBody({ amountAtomic: parseAmount('XCN', '4999.99').toString() });
    expect(await register(tooLow)).toEqual(
      refusal(400, 'BELOW_MINIMUM', 'amountAtomic is below the minimum of 5000 XCN'),
    );
  });

  it('expires with its deadline when that is earlier than 30 minutes', async () => {
    const deadline = Math.floor(Date.now() / 1_000) + 60;
    expect((await registered({ deadline })).expiresAt).toBe(new Date(deadline * 1_000).toISOString());
  });

  it.each<[string, string, object, (domain: IntentDomain) => IntentDomain, string]>([
    ['a deadline in the past', 'DEADLINE_EXPIRED', { deadline: 1 }, (domain) => domain, 'deadline'],
    [
      'an amount below the minimum',
      'BELOW_MINIMUM',
      { amountAtomic: parseAmount('XCN', '4999.99999999').toString() },
      (domain) => domain,
      'minimum',
    ],
    [
      'an amount above the maximum',
      'VALIDATION_ERROR',
      { amountAtomic: parseAmount('XCN', '50000000.00000001').toString() },
      (domain) => domain,
      'amountAtomic',
    ],
    [
      'an amount with a ninth decimal',
      'VALIDATION_ERROR',
      { amountAtomic: (XCN + 1n).toString() },
      (domain) => domain,
      'amountAtomic',
    ],
    [
      'a signature for another chain',
      'SIGNATURE_DOMAIN_REJECTED',
      {},
      (domain) => ({ ...domain, chainId: 327 }),
      'chain 327',
    ],
  ])('refuses %s as %s', async (_, code, over, domain, words) => {
    const body = await intentBody(over, domain(intentDomain(bridge.book.partner)));
    expect(await register(body)).toEqual(refusal(400, code, expect.stringContaining(words)));
  });

  it('refuses a signature of another account, and one that is malformed', async () => {
    expect(await register(await intentBody({}, undefined, bob))).toEqual(refusal(400, 'SIGNATURE_MISMATCH'));
    expect(await register({ ...(await intentBody()), signature: '0x1234' })).toEqual(refusal(400, 'SIGNATURE_INVALID'));
  });

  it.each<[string, object]>([
    ['DEADLINE_EXPIRED', { deadline: 1, amountAtomic: XCN.toString(), recipientAddress: zeroAddress }],
    ['BELOW_MINIMUM', { amountAtomic: parseAmount('XCN', '1').toString() }],
  ])('says %s first, whatever else is wrong, without verifying the signature', async (code, over) => {
    expect(await register(await intentBody(over, undefined, bob))).toEqual(refusal(400, code));
  });

  it('refuses recipients at which the funds would be lost', async () => {
    const { ethereum, relayer } = bridge.book;
    for (const recipientAddress of [ethereum.bridgeLock, ethereum.tokens.XCN, ethereum.tokens.USDC, relayer]) {
      expect(await register(await intentBody({ recipientAddress }))).toEqual(
        refusal(400, 'VALIDATION_ERROR', expect.stringContaining('recipientAddress')),
      );
    }
  });

  it('refuses a key or a nonce used by another intent of the sender', async () => {
    const first = await intentBody();
    expect((await register(first)).status).toBe(200);
    expect(await register(await intentBody({ idempotencyKey: first.idempotencyKey }))).toEqual(
      refusal(400, 'VALIDATION_ERROR', expect.stringContaining('idempotencyKey')),
    );
    expect(await register(await intentBody({ nonce: first.nonce }))).toEqual(
      refusal(400, 'VALIDATION_ERROR', expect.stringContaining('nonce')),
    );
  });

  it('returns an expired intent with its state, and keeps its key and nonce permanently', async () => {
    const deadline = Math.floor(Date.now() / 1_000) + 2;
    const body = await intentBody({ deadline });
    const { intentId } = (await register(body)).body as IntentResponse;
    await waitUntil('the window has passed', () => Date.now() > deadline * 1_000);
    const newest = await api.scan(PARTNER, { timestamp: new Date() });
    expect(await api.store.intents.expire(api.fence, intentId, newest)).toBe(true);
    const expired = { status: 200, body: { intentId, status: 'EXPIRED' } };
    expect(await register(body)).toMatchObject(expired);
    const compact = serializeCompactSignature(signatureToCompactSignature(parseSignature(body.signature)));
    expect(await register({ ...body, signature: compact })).toMatchObject(expired);
    const { idempotencyKey, nonce } = body;
    for (const [field, over] of Object.entries({ idempotencyKey: { idempotencyKey }, nonce: { nonce } })) {
      expect(await register(await intentBody(over))).toEqual(
        refusal(400, 'VALIDATION_ERROR', expect.stringContaining(field)),
      );
    }
  });

  it('refuses a second recipient for the same sender and amount, and suggests a free amount', async () => {
    const amount = nextAmount();
    const { intentId } = await registered({ amountAtomic: amount.toString() });
    const answer = await register(await intentBody({ amountAtomic: amount.toString() }));
    expect(answer).toEqual(refusal(400, 'VALIDATION_ERROR', expect.stringContaining(intentId)));
    const { message } = answer.body as { message: string };
    const [, free] = /for example 6000\.\d+ XCN \(amountAtomic (\d+)\)/.exec(message) ?? [];
    expect((await register(await intentBody({ amountAtomic: free }))).status).toBe(200);
  });

  it('limits the open intents of a client by its address behind our own proxy', async () => {
    const limited = await temporaryApi(bridge, { MAX_OPEN_INTENTS_PER_CLIENT: '2', TRUSTED_PROXY_HOPS: '1' });
    const from = async (address: string, signer: typeof alice) => {
      const body = await intentBody({ senderAddress: lower(signer.address) }, undefined, signer);
      return (await limited.post(INTENT, body, 'application/json', { 'x-forwarded-for': `6.6.6.6, ${address}` }))
        .status;
    };
    expect(await from('203.0.113.7', alice)).toBe(200);
    expect(await from('203.0.113.7', bob)).toBe(200);
    expect(await from('203.0.113.7', alice)).toBe(429);
    // IPv6 clients are counted by network.
    expect(await from('2001:db8:0:1::1', alice)).toBe(200);
    expect(await from('2001:db8:0:1::2', bob)).toBe(200);
    expect(await from('2001:db8:0:1:ffff::3', bob)).toBe(429);
    await limited.close();
  });
});
