import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  intentDigest,
  intentDomain,
  intentNonceHash,
  parseAmount,
  xcnWithdrawIntentTypes,
  type IntentDomain,
  type IntentResponse,
} from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { aHash, anAddress, anIntent, PARTNER, testAccount, testKey, waitUntil, aTransfer } from '@causeway/test-kit';
import { createWalletClient, zeroAddress, type Address, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { refusal, temporaryApi, type Answer, type TemporaryApi } from './temporary-api.js';
import { temporaryBridge, type TemporaryBridge } from './temporary-bridge.js';

const XCN = parseAmount('XCN', '6000');
const INTENT = '/api/v1/bridge/xcn-withdraw-intent';
const alice = privateKeyToAccount(testKey(4));
const bob = privateKeyToAccount(testKey(5));
const lower = (address: Address) => address.toLowerCase() as Address;

let bridge: TemporaryBridge;
let api: TemporaryApi;
beforeAll(async () => {
  bridge = await temporaryBridge();
  api = await temporaryApi(bridge);
  for (const { address } of [alice, bob]) {
    await bridge.partner.test.setBalance({ address, value: parseAmount('XCN', '1000000') });
  }
});
afterAll(async () => {
  await api?.close();
  await bridge?.stop();
});

let counter = 0;

/** The body of a valid intent of Alice, with changes, signed by an account under a domain. */
async function intentBody(over: object = {}, domain: IntentDomain = intentDomain(bridge.book.partner), signer = alice) {
  counter += 1;
  const terms = {
    senderAddress: lower(alice.address),
    recipientAddress: anAddress(),
    amountAtomic: XCN.toString(),
    idempotencyKey: `key ${counter}`,
    deadline: Math.floor(Date.now() / 1_000) + 3_600,
    nonce: `nonce ${counter}`,
    ...over,
  };
  const message = messageOf(terms);
  const signature = await signer.signTypedData({
    domain,
    types: xcnWithdrawIntentTypes,
    primaryType: 'XcnWithdrawIntent',
    message,
  });
  return { ...terms, signature };
}

const messageOf = (terms: {
  senderAddress: Address;
  recipientAddress: Address;
  amountAtomic: string;
  deadline: number;
  nonce: string;
}) => ({
  sender: terms.senderAddress,
  recipient: terms.recipientAddress,
  amount: BigInt(terms.amountAtomic),
  deadline: BigInt(terms.deadline),
  nonce: terms.nonce,
});

const register = (body: object): Promise<Answer> => api.post(INTENT, body);
const bind = (body: object): Promise<Answer> => api.post(`${INTENT}/bind-origin`, body);

async function registered(over: object = {}): Promise<IntentResponse> {
  const { status, body } = await register(await intentBody(over));
  expect(status).toBe(200);
  return body as IntentResponse;
}

/** Sends native XCN on the partner chain and waits until it is mined. */
async function pay(value: bigint, from = alice, to: Address = bridge.book.relayer): Promise<Hex> {
  const { chain, transport } = bridge.partner;
  const hash = await createWalletClient({ chain, transport, account: from }).sendTransaction({ to, value });
  await bridge.partner.client.waitForTransactionReceipt({ hash });
  return hash;
}

/** Stores a transfer to the relayer wallet, as the relayer's scan does. */
async function scanTransfer(txHash: Hex, amount: bigint, payer = lower(alice.address), minedAt = new Date()) {
  await api.scan(PARTNER, { timestamp: minedAt, transfers: [aTransfer({ txHash, payer, amount })] });
  return { chainId: PARTNER, txHash, asset: 'XCN' as const, callIndex: 0 };
}

const nextAmount = (() => {
  let amount = XCN;
  return () => (amount += 10n ** 10n);
})();

describe('POST /bridge/xcn-withdraw-intent', () => {
  it('answers an intent that a rebuild restored, under any key and after its deadline', async () => {
    const body = await intentBody({ deadline: 1_700_000_000 });
    const id = intentDigest(intentDomain(bridge.book.partner), messageOf(body));
    const { senderAddress: sender, recipientAddress: recipient } = body;
    const amount = XCN;
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
    const body = await intentBody();
    const { status, body: accepted } = await register(body);
    expect(status).toBe(200);
    expect(accepted).toEqual({
      intentId: intentDigest(intentDomain(bridge.book.partner), messageOf(body)),
      relayerWalletAddress: bridge.book.relayer,
      status: 'PENDING_ORIGIN_TX',
      amountAtomic: XCN.toString(),
      amountFormatted: '6000',
      fee: { amount: parseAmount('XCN', '1000').toString(), formatted: '1000', bps: 25 },
      outputAmount: parseAmount('XCN', '5000').toString(),
      outputAmountFormatted: '5000',
      expiresAt: expect.any(String),
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
    // The same request again returns the same answer and stores no second intent.
    expect(await register(body)).toMatchObject({ status: 200, body: accepted });
    const history = await api.get(`/api/v1/bridge/history?address=${body.recipientAddress}`);
    expect(history.body).toMatchObject({ operations: [{ id: intentId }], pagination: { hasMore: false } });
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

  it('refuses recipients at which the funds would be lost', async () => {
    const { ethereum, relayer } = bridge.book;
    for (const recipientAddress of [ethereum.bridgeLock, ethereum.tokens.XCN, ethereum.tokens.USDC, relayer]) {
      expect(await register(await intentBody({ recipientAddress }))).toEqual(
        refusal(400, 'VALIDATION_ERROR', expect.stringContaining('recipientAddress')),
      );
    }
  });

  it('refuses a key or a nonce that another intent of the sender used', async () => {
    const first = await intentBody();
    expect((await register(first)).status).toBe(200);
    expect(await register(await intentBody({ idempotencyKey: first.idempotencyKey }))).toEqual(
      refusal(400, 'VALIDATION_ERROR', expect.stringContaining('idempotencyKey')),
    );
    expect(await register(await intentBody({ nonce: first.nonce }))).toEqual(
      refusal(400, 'VALIDATION_ERROR', expect.stringContaining('nonce')),
    );
  });
});

describe('POST /bridge/xcn-withdraw-intent/bind-origin', () => {
  const senderAddress = lower(alice.address);

  it('accepts a transaction that is not visible yet, and a later one in its place', async () => {
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
      refusal(400, 'VALIDATION_ERROR', expect.stringContaining('plain transfer')),
    );
    expect(await bind({ intentId, senderAddress, originTxHash: early })).toEqual(
      refusal(400, 'VALIDATION_ERROR', expect.stringContaining('window')),
    );
  });

  it('answers a repeated bind with the progress, and refuses another transaction or another intent', async () => {
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
    const second = await registered({ amountAtomic: amount.toString() });
    expect(await bind({ intentId: second.intentId, senderAddress, originTxHash })).toEqual(
      refusal(409, 'DUPLICATE_ORIGIN_TX'),
    );
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

describe('new intents are paused', () => {
  /** Waits until the API, which caches the contract's values for 5 seconds, answers with a status. */
  const answers = (status: number, body?: object) =>
    waitUntil(
      `the API answers ${status}`,
      async () => (await register(body ?? (await intentBody()))).status === status,
      { intervalMs: 250 },
    );
  const lock = () => ({ address: bridge.book.ethereum.bridgeLock, abi: bridgeLockAbi }) as const;
  const mint = () => ({ address: bridge.book.partner.bridgeMint, abi: bridgeMintAbi }) as const;
  const mined = async (side: 'ethereum' | 'partner', hash: Hex) => {
    expect(await bridge[side].client.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
  };
  const setRelayer = async (relayer: Address) =>
    mined(
      'ethereum',
      await bridge.ethereum.wallet.writeContract({ ...lock(), functionName: 'setRelayer', args: [relayer] }),
    );
  /** Both contracts inherit the pauses from the same base. */
  const contractOf = (side: 'ethereum' | 'partner') =>
    side === 'ethereum' ? lock() : { ...lock(), address: mint().address };
  const pause = async (side: 'ethereum' | 'partner', beginnings: boolean, deliveries: boolean) =>
    mined(
      side,
      await bridge[side].wallet.writeContract({
        ...contractOf(side),
        functionName: 'pause',
        args: [beginnings, deliveries],
      }),
    );
  const unpause = async (side: 'ethereum' | 'partner') => {
    const [, , count] = await bridge[side].client.readContract({ ...contractOf(side), functionName: 'pauses' });
    const args = [count, true, true] as const;
    await mined(side, await bridge[side].wallet.writeContract({ ...contractOf(side), functionName: 'unpause', args }));
  };
  const setListing = async (mayBegin: boolean) => {
    const args = [zeroAddress, mayBegin, true] as const;
    await mined('partner', await bridge.partner.wallet.writeContract({ ...mint(), functionName: 'setListing', args }));
  };

  it('while a contract uses another relayer wallet: the API does not return the old one any more', async () => {
    const known = await intentBody();
    expect((await register(known)).status).toBe(200);
    await setRelayer(testAccount(6).address);
    await answers(503, known);
    expect(await register(known)).toEqual(refusal(503, 'SERVICE_PAUSED'));
    expect(await register(await intentBody())).toEqual(refusal(503, 'SERVICE_PAUSED'));
    await setRelayer(testAccount(1).address);
    await answers(200, known);
  });

  const resumeDeliveries = async () => {
    const halt = await api.store.halts.deliveries();
    if (halt !== null) await api.store.halts.liftDeliveries(halt, []);
  };

  it.each([
    ['the relayer halts deliveries', () => api.store.halts.haltDeliveries('a test'), resumeDeliveries],
    ['releases are paused', () => pause('ethereum', false, true), () => unpause('ethereum')],
    ['withdrawals are paused', () => pause('partner', true, false), () => unpause('partner')],
    ['XCN is wound down', () => setListing(false), () => setListing(true)],
  ])('while %s', async (_, stop, resume) => {
    const known = await intentBody();
    expect((await register(known)).status).toBe(200);
    await stop();
    await answers(503);
    expect(await register(await intentBody())).toEqual(refusal(503, 'SERVICE_PAUSED'));
    // An intent that was accepted before keeps its answer.
    expect((await register(known)).status).toBe(200);
    await resume();
    await answers(200);
  });
});
