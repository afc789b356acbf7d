import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  feeQuoteResponseSchema,
  healthResponseSchema,
  historyResponseSchema,
  intentDomain,
  isTerminal,
  limitsResponseSchema,
  parseAmount,
  type IntentDomain,
} from '@causeway/protocol';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { waitUntil } from '@causeway/test-kit';
import { User } from '@causeway/testbed';
import { signIntent } from './sign-intent.js';
import { temporaryEnvironment, type TestEnvironment } from './temporary-environment.js';

const XCN = parseAmount('XCN', '6000');

let environment: TestEnvironment;
let alice: User;
let bob: User;

beforeAll(async () => {
  environment = await temporaryEnvironment();
  alice = new User(environment, environment.accounts.alice);
  bob = new User(environment, environment.accounts.bob);
  // Withdrawals of XCN are paid from this collateral.
  await bob.deposit('XCN', parseAmount('XCN', '100000'), environment.accounts.bob.address);
});
afterEach(async () => environment.restoreRelayer());
afterAll(async () => environment?.stop());

const stranger = (): Address => privateKeyToAddress(generatePrivateKey()).toLowerCase() as Address;
let nonces = 0;
const nonce = () => `n${nonces++}`;

async function call(path: string, init?: RequestInit): Promise<{ status: number; body: unknown; headers: Headers }> {
  const response = await fetch(`${environment.stack.apiUrl}${path}`, init);
  return { status: response.status, body: await response.json(), headers: response.headers };
}
const post = (path: string, body: unknown, type = 'application/json') =>
  call(path, {
    method: 'POST',
    headers: { 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const refusal = (status: number, error: string, message: unknown = expect.any(String)) =>
  expect.objectContaining({ status, body: { error, message } });

/** A good intent of Alice, with changes, signed under a domain. */
const intentBody = (over: object = {}, domain?: IntentDomain, signer?: TestEnvironment['accounts']['alice']) => {
  const terms = {
    senderAddress: environment.accounts.alice.address,
    recipientAddress: stranger(),
    amountAtomic: XCN.toString(),
    idempotencyKey: nonce(),
    deadline: Math.floor(Date.now() / 1000) + 1_800,
    nonce: nonce(),
    ...over,
  };
  return signIntent(environment, terms, domain, signer);
};
const register = (body: object) => post('/bridge/xcn-withdraw-intent', body);
const bind = (body: object) => post('/bridge/xcn-withdraw-intent/bind-origin', body);

async function ended(query: string) {
  await waitUntil('the operation has ended', async () => {
    const { status, body } = await call(`/bridge/status?${query}`);
    return status === 200 && isTerminal((body as { status: 'COMPLETED' }).status);
  });
  return (await call(`/bridge/status?${query}`)).body as Record<string, unknown>;
}

describe('requests that reach no endpoint', () => {
  it('are answered in the form of the specification', async () => {
    expect(await call('/bridge/nothing')).toEqual(refusal(404, 'NOT_FOUND'));
    expect(await call('/')).toEqual(refusal(404, 'NOT_FOUND'));
    expect(await register('{"a":' as never)).toEqual(refusal(400, 'VALIDATION_ERROR', expect.stringContaining('body')));
    expect(await post('/bridge/xcn-withdraw-intent', 'a=1', 'text/plain')).toEqual(
      refusal(415, 'UNSUPPORTED_MEDIA_TYPE'),
    );
    expect(await register({ a: 'x'.repeat(100_000) })).toEqual(refusal(413, 'PAYLOAD_TOO_LARGE'));
    expect(await register([])).toEqual(refusal(400, 'VALIDATION_ERROR'));
  });
});

describe('GET /bridge/fee-quote', () => {
  const quote = (token: string, amount: string, direction = 'PARTNER_TO_ETHEREUM') =>
    call(`/bridge/fee-quote?${new URLSearchParams({ token, amount, direction }).toString()}`);

  it('quotes by the policy of the contract', async () => {
    const { status, body } = await quote('USDC', '2400.5');
    expect(status).toBe(200);
    expect(feeQuoteResponseSchema.parse(body)).toMatchObject({
      inputAmount: '2400500000',
      feeAmount: '6001250',
      feeAmountFormatted: '6.00125',
      feeBps: 25,
      outputAmount: '2394498750',
      minimumAmount: '10000000',
    });
  });

  it('charges no fee for a deposit', async () => {
    expect((await quote('XCN', '0.00000001', 'ETHEREUM_TO_PARTNER')).body).toMatchObject({
      feeAmount: '0',
      outputAmount: '10000000000',
    });
  });

  it.each([
    ['ETH', '0.009999999999999999', 'BELOW_MINIMUM', 'minimum of 0.01 ETH'],
    ['XCN', '4999.99999999', 'BELOW_MINIMUM', 'minimum of 5000 XCN'],
    ['USDC', '0', 'BELOW_MINIMUM', 'minimum of 10 USDC'],
    ['USDC', '1.0000001', 'VALIDATION_ERROR', 'amount'],
    ['XCN', '5000.000000001', 'VALIDATION_ERROR', 'amount'],
    ['ETH', '1e3', 'VALIDATION_ERROR', 'amount'],
    ['BTC', '1', 'VALIDATION_ERROR', 'token'],
  ])('refuses %s %s as %s', async (token, amount, code, words) => {
    expect(await quote(token, amount)).toEqual(refusal(400, code, expect.stringContaining(words)));
  });
});

describe('GET /bridge/limits', () => {
  it('returns fees, minimums, confirmations, hold and room, and may be cached', async () => {
    const { body, headers } = await call('/bridge/limits');
    const limits = limitsResponseSchema.parse(body);
    expect(limits.ETHEREUM_TO_PARTNER).toMatchObject({ requiredConfirmations: 4, holdSeconds: 0 });
    expect(limits.PARTNER_TO_ETHEREUM).toMatchObject({ requiredConfirmations: 3, holdSeconds: 2 });
    expect(limits.PARTNER_TO_ETHEREUM.assets.find(({ token }) => token === 'XCN')).toMatchObject({
      feeBps: 25,
      minimumFeeFormatted: '1000',
      minimumAmountFormatted: '5000',
    });
    expect(headers.get('cache-control')).toBe('public, max-age=180');
    expect(headers.get('content-type')).toMatch(/^application\/json/);
  });
});

describe('GET /bridge/status and /bridge/history', () => {
  it('find a deposit by transaction and by id, and list it for sender and recipient, newest first', async () => {
    const recipient = stranger();
    const first = await alice.deposit('ETH', 3n, recipient);
    const second = await alice.deposit('ETH', 5n, recipient);
    const operation = await ended(`originTxHash=${first.originTxHash}`);
    expect(operation).toMatchObject({
      asset: 'ETH',
      direction: 'ETHEREUM_TO_PARTNER',
      status: 'COMPLETED',
      amount: '3',
      fee: null,
      outputAmount: '3',
      originChainId: 31_337,
      destinationChainId: 8_901,
      requiredConfirmations: 4,
      holdUntil: null,
      estimatedCompletionTime: null,
      settlement: { chainId: 8_901, amount: '3', recipient, claimable: false },
    });
    const id = operation['depositId'] as Hex;
    expect((await call(`/bridge/status?depositId=${id.toUpperCase().replace('0X', '0x')}`)).body).toMatchObject({ id });
    // An unknown identifier is ignored beside a known one.
    expect((await call(`/bridge/status?depositId=${id}&withdrawId=0x${'11'.repeat(32)}`)).body).toMatchObject({ id });
    await ended(`originTxHash=${second.originTxHash}`);
    const other = await call(`/bridge/status?depositId=${id}&originTxHash=${second.originTxHash}`);
    expect(other).toEqual(refusal(400, 'VALIDATION_ERROR', expect.stringContaining('depositId')));
    expect(await call(`/bridge/status?withdrawId=${id}`)).toEqual(refusal(404, 'OPERATION_NOT_FOUND'));

    const page = historyResponseSchema.parse((await call(`/bridge/history?address=${recipient}&limit=1`)).body);
    expect(page.operations.map(({ amount }) => amount)).toEqual(['5']);
    expect(page.pagination).toEqual({ limit: 1, offset: 0, hasMore: true });
    const last = historyResponseSchema.parse(
      (await call(`/bridge/history?address=${recipient}&limit=1&offset=1`)).body,
    );
    expect(last.operations.map(({ amount }) => amount)).toEqual(['3']);
    expect(last.pagination.hasMore).toBe(false);
    const none = await call(`/bridge/history?address=${recipient}&direction=PARTNER_TO_ETHEREUM`);
    expect(historyResponseSchema.parse(none.body).operations).toEqual([]);
  });

  it('return 404 for an unknown identifier, and 400 for an invalid one', async () => {
    expect(await call(`/bridge/status?originTxHash=0x${'22'.repeat(32)}`)).toEqual(refusal(404, 'OPERATION_NOT_FOUND'));
    expect(await call('/bridge/status')).toEqual(refusal(400, 'VALIDATION_ERROR'));
    expect(await call('/bridge/history?address=0x12')).toEqual(
      refusal(400, 'VALIDATION_ERROR', expect.stringContaining('address')),
    );
    expect(await call(`/bridge/history?address=${stranger()}&limit=101`)).toEqual(
      refusal(400, 'VALIDATION_ERROR', expect.stringContaining('limit')),
    );
  });
});

describe('a withdrawal of native XCN', () => {
  it('goes from the intent to the release, with the terms that were promised', async () => {
    const body = await intentBody();
    const { status, body: accepted } = await register(body);
    expect(status).toBe(200);
    expect(accepted).toMatchObject({
      relayerWalletAddress: environment.book.relayer,
      status: 'PENDING_ORIGIN_TX',
      amountAtomic: XCN.toString(),
      fee: { formatted: '1000', bps: 25 },
      outputAmountFormatted: '5000',
    });
    const { intentId } = accepted as { intentId: Hex };
    expect((await call(`/bridge/status?intentId=${intentId}`)).body).toMatchObject({
      status: 'PENDING_ORIGIN_TX',
      originTxHash: null,
    });
    // The same request again gives the same answer, and no second intent.
    expect((await register(body)).body).toEqual(accepted);

    const wallet = environment.partner.walletOf(environment.accounts.alice);
    const originTxHash = await wallet.sendTransaction({ to: environment.book.relayer, value: XCN });
    const binding = { intentId, senderAddress: environment.accounts.alice.address, originTxHash };
    expect(await bind(binding)).toMatchObject({ status: 200, body: { intentId, originTxHash } });
    expect(await bind(binding)).toMatchObject({ status: 200 });
    const operation = await ended(`withdrawId=${intentId}`);
    expect(operation).toMatchObject({ status: 'COMPLETED', intentId, originTxHash, outputAmountFormatted: '5000' });
    const again = { ...binding, originTxHash: `0x${'33'.repeat(32)}` };
    expect(await bind(again)).toEqual(refusal(409, 'INTENT_ALREADY_BOUND'));
    expect(await bind(binding)).toMatchObject({ status: 200, body: { status: 'COMPLETED' } });

    const second = (await register(await intentBody())).body as { intentId: Hex };
    expect(await bind({ ...binding, intentId: second.intentId })).toEqual(refusal(409, 'DUPLICATE_ORIGIN_TX'));
  });

  it('is bound automatically when its client never returns', async () => {
    const amount = XCN + 10n ** 10n;
    const { intentId } = await alice.registerIntent(amount, stranger(), nonce());
    await environment.partner
      .walletOf(environment.accounts.alice)
      .sendTransaction({ to: environment.book.relayer, value: amount });
    expect(await ended(`intentId=${intentId}`)).toMatchObject({ status: 'COMPLETED' });
  });

  it('cannot be hijacked: a stranger neither binds his transaction nor blocks the owner', async () => {
    const amount = XCN + 2n * 10n ** 10n;
    const { intentId } = await alice.registerIntent(amount, stranger(), nonce());
    const senderAddress = environment.accounts.alice.address;
    // Bob pays the same amount himself, and names it; and somebody names a transaction that does not exist.
    const wrong = await environment.partner
      .walletOf(environment.accounts.bob)
      .sendTransaction({ to: environment.book.relayer, value: amount });
    await environment.partner.client.waitForTransactionReceipt({ hash: wrong });
    expect(await bind({ intentId, senderAddress, originTxHash: wrong })).toEqual(
      refusal(400, 'VALIDATION_ERROR', expect.stringContaining('originTxHash')),
    );
    expect(await bind({ intentId, senderAddress, originTxHash: `0x${'44'.repeat(32)}` })).toMatchObject({
      status: 200,
    });
    const hash = await environment.partner
      .walletOf(environment.accounts.alice)
      .sendTransaction({ to: environment.book.relayer, value: amount });
    expect(await bind({ intentId, senderAddress, originTxHash: hash })).toMatchObject({ status: 200 });
    expect(await ended(`intentId=${intentId}`)).toMatchObject({ status: 'COMPLETED', originTxHash: hash });
  });

  it('is refused with the code of the specification for each fault', async () => {
    const domain = intentDomain(environment.book.partner);
    const past = Math.floor(Date.now() / 1000) - 1;
    expect(await register(await intentBody({ deadline: past }))).toEqual(refusal(400, 'DEADLINE_EXPIRED'));
    const little = parseAmount('XCN', '4999.99999999').toString();
    expect(await register(await intentBody({ amountAtomic: little }))).toEqual(refusal(400, 'BELOW_MINIMUM'));
    const dust = await intentBody({ amountAtomic: (XCN + 1n).toString() });
    expect(await register(dust)).toEqual(refusal(400, 'VALIDATION_ERROR', expect.stringContaining('amountAtomic')));
    expect(await register(await intentBody({}, domain, environment.accounts.bob))).toEqual(
      refusal(400, 'SIGNATURE_MISMATCH'),
    );
    expect(await register(await intentBody({}, { ...domain, chainId: 327 }))).toEqual(
      refusal(400, 'SIGNATURE_DOMAIN_REJECTED'),
    );
    expect(await register({ ...(await intentBody()), signature: '0x1234' })).toEqual(refusal(400, 'SIGNATURE_INVALID'));
    const lost = await intentBody({ recipientAddress: environment.book.ethereum.bridgeLock });
    expect(await register(lost)).toEqual(refusal(400, 'VALIDATION_ERROR', expect.stringContaining('recipientAddress')));
    const first = await intentBody();
    expect((await register(first)).status).toBe(200);
    const sameKey = await intentBody({ idempotencyKey: first.idempotencyKey });
    expect(await register(sameKey)).toEqual(
      refusal(400, 'VALIDATION_ERROR', expect.stringContaining('idempotencyKey')),
    );
    const sameNonce = await intentBody({ nonce: first.nonce });
    expect(await register(sameNonce)).toEqual(refusal(400, 'VALIDATION_ERROR', expect.stringContaining('nonce')));
  });

  it('of an unknown intent, or of another sender, is not bound', async () => {
    const { intentId } = await alice.registerIntent(XCN + 3n * 10n ** 10n, stranger(), nonce());
    const originTxHash = `0x${'55'.repeat(32)}`;
    const senderAddress = environment.accounts.alice.address;
    expect(await bind({ intentId: `0x${'66'.repeat(32)}`, senderAddress, originTxHash })).toEqual(
      refusal(404, 'INTENT_NOT_FOUND'),
    );
    expect(await bind({ intentId, senderAddress: bob.account.address, originTxHash })).toEqual(
      refusal(403, 'SENDER_MISMATCH'),
    );
  });

  it('expires when its window closes without a transfer, and a late bind is refused with that reason', async () => {
    const body = await intentBody({ deadline: Math.floor(Date.now() / 1000) + 3 });
    const { intentId } = (await register(body)).body as { intentId: Hex };
    expect(await ended(`intentId=${intentId}`)).toMatchObject({ status: 'EXPIRED', settlement: null });
    const late = { intentId, senderAddress: body.senderAddress, originTxHash: `0x${'77'.repeat(32)}` };
    expect(await bind(late)).toEqual(refusal(410, 'INTENT_EXPIRED'));
  });
});

describe('a withdrawal that the bridge cannot pay yet', () => {
  it('is delayed with the reason, and paid as soon as it can be', async () => {
    const amount = parseAmount('XCN', '200000');
    const { originTxHash } = await alice.withdrawXcn(amount, stranger(), nonce());
    await waitUntil('it is delayed', async () => (await alice.status(originTxHash))?.status === 'DELAYED');
    expect(await alice.status(originTxHash)).toMatchObject({ delayedReason: 'COLLATERAL_SHORT', settlement: null });
    await bob.deposit('XCN', amount, environment.accounts.bob.address);
    expect(await ended(`originTxHash=${originTxHash}`)).toMatchObject({ status: 'COMPLETED', delayedReason: null });
  });
});

describe('a relayer wallet that was replaced', () => {
  it('is not named any more, even to clients that knew it', async () => {
    const body = await intentBody();
    expect((await register(body)).status).toBe(200);
    const setRelayer = async (relayer: Address) => {
      const wallet = environment.ethereum.walletOf(environment.accounts.deployer);
      const hash = await wallet.writeContract({
        address: environment.book.ethereum.bridgeLock,
        abi: bridgeLockAbi,
        functionName: 'setRelayer',
        args: [relayer],
      });
      await environment.ethereum.client.waitForTransactionReceipt({ hash });
    };
    await setRelayer(stranger());
    try {
      await waitUntil('it is noticed', async () => (await register(body)).status === 503);
      expect(await register(body)).toEqual(refusal(503, 'SERVICE_PAUSED'));
      expect(await register(await intentBody())).toEqual(refusal(503, 'SERVICE_PAUSED'));
    } finally {
      await setRelayer(environment.accounts.relayer.address);
    }
    await waitUntil('it is noticed', async () => (await register(body)).status === 200);
  });
});

describe('a reorg', () => {
  it('removes a deposit that is not final, and the same money can be deposited again', async () => {
    const originTxHash = await environment.whileBlocksWait(async () => {
      const deposit = await bob.deposit('ETH', 11n, stranger());
      const isSeen = async () => (await bob.status(deposit.originTxHash))?.status === 'CONFIRMING';
      await waitUntil('it is seen', isSeen);
      const newest = await environment.ethereum.client.getBlockNumber();
      const depth = newest - deposit.receipts.at(-1)!.blockNumber + 1n;
      await environment.ethereum.test.request({ method: 'anvil_reorg', params: [Number(depth), []] } as never);
      return deposit.originTxHash;
    });
    await waitUntil('it is withdrawn', async () => (await bob.status(originTxHash)) === null);
    const again = await bob.deposit('ETH', 12n, stranger());
    expect(await ended(`originTxHash=${again.originTxHash}`)).toMatchObject({ status: 'COMPLETED', amount: '12' });
    expect(await bob.status(originTxHash)).toBeNull();
  });
});

describe('GET /health', () => {
  it('is healthy, and unhealthy with the same shape when the relayer is gone', async () => {
    const healthy = await fetch(environment.stack.healthUrl);
    expect(healthy.status).toBe(200);
    expect(healthResponseSchema.parse(await healthy.json())).toMatchObject({
      status: 'healthy',
      components: {
        database: { connected: true },
        ethereumRpc: { connected: true },
        partnerRpc: { connected: true },
        relayer: { connected: true },
      },
    });
    await environment.killRelayer();
    await waitUntil('it is unhealthy', async () => (await fetch(environment.stack.healthUrl)).status === 503);
    const unhealthy = healthResponseSchema.parse(await (await fetch(environment.stack.healthUrl)).json());
    expect(unhealthy).toMatchObject({
      status: 'unhealthy',
      components: { database: { connected: true }, relayer: { connected: false } },
    });
    await environment.restartRelayer();
    await waitUntil('it is healthy again', async () => (await fetch(environment.stack.healthUrl)).ok);
  });
});
