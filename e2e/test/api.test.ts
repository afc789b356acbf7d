import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  intentDomain,
  isTerminal,
  OPERATION_STATUSES,
  parseAmount,
  getToken,
  xcnWithdrawIntentTypes,
  type BridgeOperationResponse,
} from '@causeway/protocol';
import {
  bridgeOperationResponseSchema,
  explainResponseSchema,
  healthResponseSchema,
  historyResponseSchema,
} from '@causeway/protocol/rest';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { parseEventLogs, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts';
import { waitUntil } from '@causeway/test-kit';
import { User } from '@causeway/testbed';
import { dropDeposit, temporaryEnvironment, type TestEnvironment } from './temporary-environment.js';

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

async function call(path: string, init?: RequestInit): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${environment.stack.apiUrl}${path}`, init);
  return { status: response.status, body: await response.json() };
}
const post = (path: string, body: unknown) =>
  call(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
const refusal = (status: number, error: string, message: unknown = expect.any(String)) =>
  expect.objectContaining({ status, body: { error, message } });

/** A valid intent of Alice that she has signed. `deadline` in Unix seconds. */
async function intentBody(deadline = Math.floor(Date.now() / 1000) + 1_800, amount = XCN) {
  const { address, privateKey } = environment.accounts.alice;
  const message = { sender: address, recipient: stranger(), amount, deadline: BigInt(deadline), nonce: nonce() };
  const signature = await privateKeyToAccount(privateKey).signTypedData({
    domain: intentDomain(environment.book.partner),
    types: xcnWithdrawIntentTypes,
    primaryType: 'XcnWithdrawIntent',
    message,
  });
  return {
    senderAddress: message.sender,
    recipientAddress: message.recipient,
    amountAtomic: amount.toString(),
    idempotencyKey: nonce(),
    deadline,
    nonce: message.nonce,
    signature,
  };
}
const register = (body: object) => post('/bridge/xcn-withdraw-intent', body);
const bind = (body: object) => post('/bridge/xcn-withdraw-intent/bind-origin', body);

async function ended(query: string) {
  await waitUntil('the operation has ended', async () => {
    const { status, body } = await call(`/bridge/status?${query}`);
    return status === 200 && isTerminal((body as { status: 'COMPLETED' }).status);
  });
  return (await call(`/bridge/status?${query}`)).body as Record<string, unknown>;
}

/** Checks that status and explanation agree about a transaction that begins no operation. */
async function notFound(hash: Hex) {
  const { code, message, nextStep } = await readVerdict(hash);
  expect(await call(`/bridge/status?originTxHash=${hash}`)).toEqual(
    refusal(404, 'OPERATION_NOT_FOUND', `${message} ${nextStep}`),
  );
  return { code, message };
}
const readVerdict = (hash: Hex) => alice.get(`/bridge/explain?hash=${hash}`, explainResponseSchema);

async function payOnPartnerChain(to: Hex, value: bigint): Promise<Hex> {
  const { client, getWallet } = environment.partner;
  const hash = await getWallet(alice.account).sendTransaction({ to, value });
  await client.waitForTransactionReceipt({ hash });
  return hash;
}

describe('GET /bridge/status and /bridge/history', () => {
  it('find a deposit by transaction and by id, and list it for its recipient', async () => {
    const recipient = stranger();
    const { originTxHash } = await alice.deposit('ETH', 3n, recipient);
    const operation = await ended(`originTxHash=${originTxHash}`);
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
      settlement: { chainId: 8_901, amount: '3', recipient, credited: false },
    });
    // Four one-second blocks, and three on the other chain, as configured.
    const at = (field: string) => Date.parse(String(operation[field]));
    expect(at('quotedCompletionTime') - at('createdAt')).toBe(7_000);
    const id = operation['depositId'] as Hex;
    expect((await call(`/bridge/status?depositId=${id}`)).body).toEqual(operation);
    const page = historyResponseSchema.parse((await call(`/bridge/history?address=${recipient}`)).body);
    expect(page.operations).toEqual([operation]);

    // The Deposit and Mint events have the id that the status accepts.
    const idsIn = async (side: 'ethereum' | 'partner', hash: unknown) => {
      const { logs } = await environment[side].client.getTransactionReceipt({ hash: hash as Hex });
      const events = parseEventLogs({ abi: [...bridgeLockAbi, ...bridgeMintAbi], logs });
      return events.flatMap(({ eventName, args }) => ('depositId' in args ? [`${eventName} ${args.depositId}`] : []));
    };
    expect(await idsIn('ethereum', originTxHash)).toEqual([`Deposit ${id}`]);
    expect(await idsIn('partner', operation['destinationTxHash'])).toEqual([`Mint ${id}`]);
  });
});

/** Collects the operations of an event stream until one has ended, without polling. */
async function watch(query: string, begun: () => Promise<unknown>): Promise<BridgeOperationResponse[]> {
  const stopped = new AbortController();
  const response = await fetch(`${environment.stack.apiUrl}/bridge/events?${query}`, { signal: stopped.signal });
  const seen: BridgeOperationResponse[] = [];
  let text = '';
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    // The stream has begun.
    if (text === '') await begun();
    text += part;
    const whole = text.slice(0, text.lastIndexOf('\n\n'));
    const operations = [...whole.matchAll(/^event: operation\nid: \d+\ndata: (.*)$/gm)].slice(seen.length);
    seen.push(...operations.map(([, data = '']) => bridgeOperationResponseSchema.parse(JSON.parse(data))));
    if (seen.some(({ status }) => isTerminal(status))) break;
  }
  stopped.abort();
  return seen;
}

describe('GET /bridge/events', () => {
  it('shows a deposit from its first confirmation to its end', async () => {
    const recipient = stranger();
    let originTxHash: Hex | undefined;
    const seen = await watch(`address=${recipient}`, async () => {
      ({ originTxHash } = await alice.deposit('ETH', 7n, recipient));
    });
    expect(seen[0]).toMatchObject({ status: 'CONFIRMING', originTxHash, recipient });
    expect(seen.at(-1)).toMatchObject({ status: 'COMPLETED', settlement: { recipient, amount: '7' } });
    expect(seen.at(-1)).toEqual((await call(`/bridge/status?originTxHash=${originTxHash}`)).body);
    const order = seen.map(({ status }) => OPERATION_STATUSES.indexOf(status));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  it('shows an intent from its registration to its end', async () => {
    const amount = XCN + 4n * 10n ** 10n;
    const { intentId } = await alice.registerIntent(amount, stranger(), nonce());
    const wallet = environment.partner.getWallet(environment.accounts.alice);
    const seen = await watch(`id=${intentId}`, () =>
      wallet.sendTransaction({ to: environment.book.relayer, value: amount }),
    );
    expect(seen[0]).toMatchObject({ status: 'PENDING_ORIGIN_TX', intentId });
    expect(seen.at(-1)).toMatchObject({ status: 'COMPLETED', intentId });
  });
});

describe('a withdrawal of native XCN', () => {
  it('goes from the intent to the release with the promised terms', async () => {
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
    // A repeated request gets the same answer and creates no second intent.
    expect((await register(body)).body).toEqual(accepted);

    const wallet = environment.partner.getWallet(environment.accounts.alice);
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
      .getWallet(environment.accounts.alice)
      .sendTransaction({ to: environment.book.relayer, value: amount });
    expect(await ended(`intentId=${intentId}`)).toMatchObject({ status: 'COMPLETED' });
  });

  it('cannot be hijacked: a stranger can neither bind a transaction nor block the owner', async () => {
    const amount = XCN + 2n * 10n ** 10n;
    const { intentId } = await alice.registerIntent(amount, stranger(), nonce());
    const senderAddress = environment.accounts.alice.address;
    // Bob pays the same amount and binds his payment, and a stranger binds a transaction that does not exist.
    const wrong = await environment.partner
      .getWallet(environment.accounts.bob)
      .sendTransaction({ to: environment.book.relayer, value: amount });
    await environment.partner.client.waitForTransactionReceipt({ hash: wrong });
    expect(await bind({ intentId, senderAddress, originTxHash: wrong })).toEqual(
      refusal(400, 'VALIDATION_ERROR', expect.stringContaining('originTxHash')),
    );
    expect(await bind({ intentId, senderAddress, originTxHash: `0x${'44'.repeat(32)}` })).toMatchObject({
      status: 200,
    });
    const hash = await environment.partner
      .getWallet(environment.accounts.alice)
      .sendTransaction({ to: environment.book.relayer, value: amount });
    expect(await bind({ intentId, senderAddress, originTxHash: hash })).toMatchObject({ status: 200 });
    expect(await ended(`intentId=${intentId}`)).toMatchObject({ status: 'COMPLETED', originTxHash: hash });
  });

  it('expires when its window closes without a transfer, and refuses a late bind', async () => {
    // The amount must differ from the open intent above, which has another recipient.
    const body = await intentBody(Math.floor(Date.now() / 1000) + 3, XCN + 3n * 10n ** 10n);
    const { intentId } = (await register(body)).body as { intentId: Hex };
    expect(await ended(`intentId=${intentId}`)).toMatchObject({ status: 'EXPIRED', settlement: null });
    const late = { intentId, senderAddress: body.senderAddress, originTxHash: `0x${'77'.repeat(32)}` };
    expect(await bind(late)).toEqual(refusal(410, 'INTENT_EXPIRED'));
  });
});

describe('a withdrawal that the bridge cannot pay yet', () => {
  it('is delayed with the reason, and paid once possible', async () => {
    const amount = parseAmount('XCN', '200000');
    const { originTxHash } = await alice.withdrawXcn(amount, stranger(), nonce());
    await waitUntil('it is delayed', async () => (await alice.status(originTxHash))?.status === 'DELAYED');
    expect(await alice.status(originTxHash)).toMatchObject({ delayedReason: 'COLLATERAL_SHORT', settlement: null });
    await bob.deposit('XCN', amount, environment.accounts.bob.address);
    expect(await ended(`originTxHash=${originTxHash}`)).toMatchObject({ status: 'COMPLETED', delayedReason: null });
  });
});

describe('a reorg', () => {
  it('removes a deposit that is not final, and the same funds can be deposited again', async () => {
    const originTxHash = await dropDeposit(environment, bob, 11n, stranger());
    const again = await bob.deposit('ETH', 12n, stranger());
    expect(await ended(`originTxHash=${again.originTxHash}`)).toMatchObject({ status: 'COMPLETED', amount: '12' });
    expect(await bob.status(originTxHash)).toBeNull();
  });
});

describe('a transaction that begins no operation', () => {
  it('that burned too little is explained with its amount and the minimum', async () => {
    const { client, getWallet } = environment.partner;
    const { book } = environment;
    const hash = await getWallet(alice.account).writeContract({
      address: book.partner.bridgeMint,
      abi: bridgeMintAbi,
      functionName: 'burn',
      args: [getToken(book, 'partner', 'USDC'), parseAmount('USDC', '9'), stranger(), parseAmount('USDC', '9')],
      gas: 300_000n,
    });
    expect((await client.waitForTransactionReceipt({ hash })).status).toBe('reverted');
    expect(await notFound(hash)).toEqual({
      code: 'BELOW_MINIMUM',
      message: expect.stringContaining('9 USDC, and the minimum is 10'),
    });
  });

  it('that went to another account is explained with that account', async () => {
    const to = stranger();
    const { client, getWallet } = environment.ethereum;
    const hash = await getWallet(alice.account).sendTransaction({ to, value: 1n });
    await client.waitForTransactionReceipt({ hash });
    expect(await notFound(hash)).toEqual({
      code: 'OTHER_CONTRACT',
      message: expect.stringContaining(to),
    });
  });

  it('that paid the relayer wallet without an intent is FAILED once final, and kept for a refund', async () => {
    const code = 'TRANSFER_WITHOUT_INTENT';
    await environment.killRelayer();
    const hash = await payOnPartnerChain(environment.book.relayer, parseAmount('XCN', '5001'));
    expect(await notFound(hash)).toEqual({ code, message: expect.stringContaining('no intent is bound') });
    await environment.restartRelayer();
    const operation = await ended(`originTxHash=${hash}`);
    expect(operation).toMatchObject({ status: 'FAILED', failureReason: 'TRANSFER_UNMATCHED', settlement: null });
    const { refundId } = operation as { refundId: Hex };
    const { body } = await call(`/bridge/explain?hash=${hash}`);
    expect(body).toMatchObject({ code, nextStep: expect.stringContaining(`approve the refund ${refundId}`) });
  });

  it('that no node knows is reported as possibly not yet sent', async () => {
    expect(await notFound(`0x${'77'.repeat(32)}`)).toEqual({
      code: 'NOT_FOUND',
      message: expect.stringContaining('may not have reached the nodes yet'),
    });
  });
});

describe('a transaction that the relayer has not read', () => {
  it('of a deposit is CONFIRMING, and the deposit is delivered once the relayer restarts', async () => {
    await environment.killRelayer();
    const recipient = stranger();
    const { originTxHash } = await alice.deposit('ETH', 5n, recipient);
    const unread = (await alice.status(originTxHash))!;
    expect(unread).toMatchObject({
      status: 'CONFIRMING',
      asset: 'ETH',
      amount: '5',
      recipient,
      requiredConfirmations: 4,
    });
    expect(unread.originConfirmations).toBeGreaterThan(0);
    expect(await alice.isRead(originTxHash)).toBe(false);
    const { id } = unread;
    expect(await readVerdict(originTxHash)).toMatchObject({ code: 'CONFIRMING', operationIds: [id] });
    expect(await readVerdict(id)).toMatchObject({ code: 'NOT_FOUND' });

    await environment.restartRelayer();
    await waitUntil('it has ended', async () => isTerminal((await alice.status(originTxHash))!.status));
    const settled = (await alice.status(originTxHash))!;
    expect(settled).toMatchObject({ id, status: 'COMPLETED' });
    expect(await readVerdict(settled.destinationTxHash!)).toMatchObject({ code: 'COMPLETED', operationIds: [id] });
  });

  it('of an intent shows the intent, which is bound once the relayer restarts', async () => {
    await environment.killRelayer();
    const amount = parseAmount('XCN', '5003');
    const { intentId } = await alice.registerIntent(amount, stranger(), 'unread');
    expect(await readVerdict(intentId)).toMatchObject({ code: 'AWAITING_PAYMENT' });
    const hash = await payOnPartnerChain(environment.book.relayer, amount);
    expect(await alice.status(hash)).toMatchObject({ id: intentId, status: 'CONFIRMING' });
    await environment.restartRelayer();
    await waitUntil('it is bound', () => alice.isRead(hash));
    expect(await alice.status(hash)).toMatchObject({ id: intentId });
  });
});

describe('GET /health', () => {
  it('is healthy, and unhealthy in the same form when the relayer is down', async () => {
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
