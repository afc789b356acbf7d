import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeBridgeEvent } from '@causeway/chain';
import { intentDomain, parseAmount, xcnWithdrawIntentTypes, type IntentResponse } from '@causeway/protocol';
import { bridgeOperationResponseSchema, explainResponseSchema } from '@causeway/protocol/rest';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi, testUsdcAbi } from '@causeway/protocol/abi';
import { aHash, anAddress, ETHEREUM, PARTNER, testAccount, waitUntil, type Anvil } from '@causeway/test-kit';
import { concatHex, createWalletClient, padHex, toEventSelector, toHex, type Hex } from 'viem';
import { entryPoint07Address } from 'viem/account-abstraction';
import { refusal, temporaryApi, type TemporaryApi } from './temporary-api.js';
import { temporaryBridge, type TemporaryBridge } from './temporary-bridge.js';

// Real contracts on both chains, without a relayer: the database has only what a test stores.

let bridge: TemporaryBridge;
let api: TemporaryApi;
const alice = testAccount(4);

beforeAll(async () => {
  bridge = await temporaryBridge();
  await bridge.partner.test.setBalance({ address: alice.address, value: parseAmount('XCN', '50000') });
  api = await temporaryApi(bridge);
});
afterAll(async () => {
  await api?.close();
  await bridge?.stop();
});

const STATUS = '/api/v1/bridge/status';
const makeWallet = ({ chain, transport }: Anvil) => createWalletClient({ account: alice, chain, transport });
const readStatus = (hash: Hex, of = api) => of.get(`${STATUS}?originTxHash=${hash}`);
async function readVerdict(hash: Hex, of = api) {
  const { status, body } = await of.get(`/api/v1/bridge/explain?hash=${hash}`);
  expect(status).toBe(200);
  return explainResponseSchema.parse(body);
}
/** Returns the verdict about a transaction, whose status must be a 404 with the verdict's sentences. */
async function notFound(hash: Hex) {
  const verdict = await readVerdict(hash);
  expect(await readStatus(hash)).toEqual(refusal(404, 'OPERATION_NOT_FOUND', `${verdict.message} ${verdict.nextStep}`));
  return verdict;
}
const verdict = (code: string, message: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(message), operationIds: [] });

async function mined({ client }: Anvil, hash: Hex) {
  return waitUntil('the transaction is mined', () => client.getTransactionReceipt({ hash }));
}
const depositNative = async (value: bigint, recipient = anAddress()) =>
  mined(
    bridge.ethereum,
    await makeWallet(bridge.ethereum).writeContract({
      address: bridge.book.ethereum.bridgeLock,
      abi: bridgeLockAbi,
      functionName: 'depositNative',
      args: [recipient],
      value,
    }),
  );
/** A call of BridgeMint that reverts. Its gas is given, because nodes cannot estimate it. */
const revertedBurn = async (amount: bigint, maxFee: bigint) =>
  mined(
    bridge.partner,
    await makeWallet(bridge.partner).writeContract({
      address: bridge.book.partner.bridgeMint,
      abi: bridgeMintAbi,
      functionName: 'burn',
      args: [bridge.book.partner.tokens.USDC, amount, anAddress(), maxFee],
      gas: 200_000n,
    }),
  );
const payWallet = async (value: bigint) =>
  mined(bridge.partner, await makeWallet(bridge.partner).sendTransaction({ to: bridge.book.relayer, value }));

async function registerIntent(amount: bigint): Promise<IntentResponse> {
  const message = {
    sender: alice.address,
    recipient: anAddress(),
    amount,
    deadline: BigInt(Math.floor(Date.now() / 1000) + 1_800),
    nonce: aHash(),
  };
  const signature = await alice.signTypedData({
    domain: intentDomain(bridge.book.partner),
    types: xcnWithdrawIntentTypes,
    primaryType: 'XcnWithdrawIntent',
    message,
  });
  const { status, body } = await api.post('/api/v1/bridge/xcn-withdraw-intent', {
    senderAddress: message.sender,
    recipientAddress: message.recipient,
    amountAtomic: amount.toString(),
    idempotencyKey: message.nonce,
    deadline: Number(message.deadline),
    nonce: message.nonce,
    signature,
  });
  expect(status).toBe(200);
  return body as IntentResponse;
}

describe('the status of a transaction that the relayer has not read', () => {
  it('of a deposit is CONFIRMING with its real confirmations, and the same as after the reading', async () => {
    const { transactionHash, blockNumber, blockHash, logs } = await depositNative(7n);
    const unread = await readStatus(transactionHash);
    expect(unread).toMatchObject({
      status: 200,
      body: {
        status: 'CONFIRMING',
        asset: 'ETH',
        amount: '7',
        sender: alice.address.toLowerCase(),
        originTxHash: transactionHash,
        originConfirmations: 1,
        requiredConfirmations: 4,
      },
    });
    const operation = bridgeOperationResponseSchema.parse(unread.body);
    expect(await readVerdict(transactionHash)).toMatchObject({
      code: 'CONFIRMING',
      message: expect.stringContaining('3 more of 4 confirmations on Ethereum'),
      operationIds: [operation.id],
    });
    // The operation is not stored: only the relayer stores new operations.
    expect(await api.store.operations.findById(operation.id)).toBeNull();

    await bridge.ethereum.test.mine({ blocks: 2 });
    await waitUntil('the new confirmations are shown', async () => {
      const { body } = await readStatus(transactionHash);
      return bridgeOperationResponseSchema.parse(body).originConfirmations === 3;
    });

    const timing = {
      ethereumConfirmations: 4,
      partnerConfirmations: 3,
      holdSeconds: 60,
      blockSeconds: { ethereum: 12, partner: 2 },
    };
    const context = { book: bridge.book, side: 'ethereum', timing } as const;
    const events = logs.flatMap((log) => decodeBridgeEvent(log, context, new Map()) ?? []);
    const { timestamp } = await bridge.ethereum.client.getBlock({ blockNumber });
    await api.scan(ETHEREUM, { hash: blockHash, events, timestamp: new Date(Number(timestamp) * 1000) });
    const { body: stored } = await readStatus(transactionHash);
    const ofReading = { updatedAt: expect.any(String), estimatedCompletionTime: expect.any(String) };
    // The relayer counts confirmations once it has stored the operation. The block itself is the first.
    expect(stored).toEqual({ ...operation, ...ofReading, originConfirmations: 1 });
  });

  it('has no estimate while no relayer works, and quotes and limits say why', async () => {
    const { transactionHash } = await depositNative(9n);
    const before = bridgeOperationResponseSchema.parse((await readStatus(transactionHash)).body);
    expect(before).toMatchObject({ stalledReason: null, updatedAt: before.createdAt });
    // Its block is the first of four confirmations; the quote counts all four.
    const [quoted, estimated] = [before.quotedCompletionTime, before.estimatedCompletionTime].map(String);
    expect(Date.parse(quoted ?? '') - Date.parse(estimated ?? '')).toBe(12_000);

    await api.store.lease.release(api.fence);
    const away = await waitUntil('its absence is known', async () => {
      const { body } = await readStatus(transactionHash);
      return bridgeOperationResponseSchema.parse(body).stalledReason === null ? null : body;
    });
    const { estimatedCompletionTime: _, ...rest } = before;
    expect(away).toEqual({ ...rest, estimatedCompletionTime: null, stalledReason: 'RELAYER_AWAY' });
    expect(await readVerdict(transactionHash)).toMatchObject({
      code: 'CONFIRMING',
      message: expect.stringContaining('The relayer is away at present.'),
      stalledReason: 'RELAYER_AWAY',
    });
    const undeliverable = { undeliverableReason: 'RELAYER_AWAY', estimatedSeconds: null };
    const quote = '/api/v1/bridge/fee-quote?token=USDC&amount=20&direction=ETHEREUM_TO_PARTNER';
    await waitUntil('quotes know it', async () => {
      const { body } = await api.get(quote);
      return (body as { undeliverableReason: unknown }).undeliverableReason === 'RELAYER_AWAY';
    });
    expect((await api.get(quote)).body).toMatchObject({ ...undeliverable, deliverable: false, availableAmount: '0' });
    const stopped = { ...undeliverable, deliveriesPaused: true };
    expect((await api.get('/api/v1/bridge/limits')).body).toMatchObject({
      ETHEREUM_TO_PARTNER: stopped,
      PARTNER_TO_ETHEREUM: stopped,
    });

    await api.store.lease.acquire('relayer', 'test', 600_000);
    await waitUntil('it is back', async () => {
      const { body } = await readStatus(transactionHash);
      return bridgeOperationResponseSchema.parse(body).stalledReason === null;
    });
  });

  it('of a native withdrawal has the fee of the contract and its rate', async () => {
    const value = parseAmount('XCN', '6000');
    const { transactionHash } = await mined(
      bridge.partner,
      await makeWallet(bridge.partner).writeContract({
        address: bridge.book.partner.bridgeMint,
        abi: bridgeMintAbi,
        functionName: 'withdrawNative',
        args: [anAddress(), value],
        value,
      }),
    );
    expect(await readStatus(transactionHash)).toMatchObject({
      status: 200,
      body: { asset: 'XCN', fee: { formatted: '1000', bps: 25 }, outputAmountFormatted: '5000' },
    });
  });

  it('of a payment is the one of the intent that it pays', async () => {
    const amount = parseAmount('XCN', '5500');
    const { intentId } = await registerIntent(amount);
    expect(await readVerdict(intentId)).toMatchObject({
      code: 'AWAITING_PAYMENT',
      until: expect.stringMatching(/^20/),
      operationIds: [intentId],
    });
    const { transactionHash } = await payWallet(amount);
    expect(await readStatus(transactionHash)).toMatchObject({
      status: 200,
      body: { id: intentId, intentId, status: 'CONFIRMING', originTxHash: transactionHash, originConfirmations: 1 },
    });
    // The client's bind and the relayer find the intent unchanged.
    expect(await api.get(`${STATUS}?intentId=${intentId}`)).toMatchObject({ body: { status: 'PENDING_ORIGIN_TX' } });
  });
});

describe('404 says what happened to the transaction', () => {
  it('when it burned too little', async () => {
    const { transactionHash, status } = await revertedBurn(parseAmount('USDC', '9.5'), 0n);
    expect(status).toBe('reverted');
    expect(await notFound(transactionHash)).toEqual(verdict('BELOW_MINIMUM', '9.5 USDC, and the minimum is 10'));
  });

  it('when the contract refused it for another reason', async () => {
    const { transactionHash } = await revertedBurn(parseAmount('USDC', '20'), 0n);
    expect(await notFound(transactionHash)).toEqual(verdict('REVERTED', 'on the partner chain with FeeAboveMaximum'));
  });

  it('when it went elsewhere', async () => {
    const to = anAddress();
    const { transactionHash } = await mined(
      bridge.ethereum,
      await makeWallet(bridge.ethereum).sendTransaction({ to, value: 1n }),
    );
    expect(await notFound(transactionHash)).toEqual(verdict('OTHER_CONTRACT', to));
  });

  it('when it is an approval', async () => {
    const { transactionHash } = await mined(
      bridge.ethereum,
      await makeWallet(bridge.ethereum).writeContract({
        address: bridge.book.ethereum.tokens.USDC,
        abi: bridgedTokenAbi,
        functionName: 'approve',
        args: [bridge.book.ethereum.bridgeLock, 5n],
      }),
    );
    expect(await notFound(transactionHash)).toEqual(verdict('OTHER_CONTRACT', 'called the token'));
  });

  it('when it called the bridge and began no operation', async () => {
    const { transactionHash } = await mined(
      bridge.ethereum,
      await makeWallet(bridge.ethereum).writeContract({
        address: bridge.book.ethereum.bridgeLock,
        abi: bridgeLockAbi,
        functionName: 'topUp',
        value: 5n,
      }),
    );
    expect(await notFound(transactionHash)).toEqual(verdict('NO_OPERATION', 'called BridgeLock'));
  });

  it('when it paid the relayer wallet without an intent, before and after the relayer has read it', async () => {
    const { transactionHash: txHash } = await payWallet(123n);
    expect(await notFound(txHash)).toEqual(verdict('TRANSFER_WITHOUT_INTENT', 'no intent is bound'));
    const transfer = {
      txHash,
      asset: 'XCN' as const,
      callIndex: 0,
      payer: anAddress(),
      wallet: bridge.book.relayer,
      amount: 123n,
      memo: null,
      isToFormerWallet: false,
    };
    await api.scan(PARTNER, { transfers: [transfer] });
    expect(await notFound(txHash)).toEqual(verdict('TRANSFER_WITHOUT_INTENT', 'no intent is bound'));
  });

  it('when it sent a token to a bridge contract: which token, where, and that it is lost', async () => {
    const { tokens, bridgeLock } = bridge.book.ethereum;
    const usdc = { address: tokens.USDC, abi: testUsdcAbi } as const;
    const wallet = makeWallet(bridge.ethereum);
    await mined(
      bridge.ethereum,
      await wallet.writeContract({ ...usdc, functionName: 'mint', args: [alice.address, 60_000_000n] }),
    );
    for (const [to, name] of [
      [bridgeLock, 'BridgeLock'],
      [tokens.USDC, 'the contract of USDC on Ethereum'],
    ] as const) {
      const hash = await wallet.writeContract({ ...usdc, functionName: 'transfer', args: [to, 25_500_000n] });
      await mined(bridge.ethereum, hash);
      const { message, nextStep, code } = await notFound(hash);
      expect([code, message]).toEqual(['NO_OPERATION', expect.stringContaining(`sent 25.5 USDC to ${name}`)]);
      expect(nextStep).toMatch(/does not come back.* Ask the operators/);
    }
  });

  it('when it paid ETH to the relayer wallet on Ethereum, which is not an intent', async () => {
    const to = bridge.book.relayer;
    const hash = await makeWallet(bridge.ethereum).sendTransaction({ to, value: parseAmount('ETH', '0.5') });
    await mined(bridge.ethereum, hash);
    expect(await notFound(hash)).toEqual(
      verdict('TRANSFER_WITHOUT_INTENT', 'sent 0.5 ETH to the relayer wallet on Ethereum'),
    );
  });

  it('when it is a user operation: the executing transaction, and whether its call failed', async () => {
    // Emits its call data: four topics, then data.
    const bytecode = '0x36600060003760605160405160205160005160806080a400';
    await bridge.ethereum.test.setCode({ address: entryPoint07Address, bytecode });
    const event = toEventSelector('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)');
    const word = (value: Hex) => padHex(value, { size: 32 });
    const execute = async (userOpHash: Hex, succeeded: number) => {
      const data = [
        event,
        userOpHash,
        word(alice.address),
        word('0x0'),
        ...[1, succeeded, 2, 3].map((n) => word(toHex(n))),
      ];
      const hash = await makeWallet(bridge.ethereum).sendTransaction({
        to: entryPoint07Address,
        data: concatHex(data),
      });
      return (await mined(bridge.ethereum, hash)).transactionHash;
    };
    const [good, bad] = [aHash(), aHash()];
    const [included, failed] = [await execute(good, 1), await execute(bad, 0)];
    expect(await notFound(good)).toEqual(verdict('OTHER_CONTRACT', `executed in the transaction ${included}`));
    expect(await notFound(bad)).toEqual(verdict('REVERTED', `${failed}, and the call of its account reverted`));
  });

  it('when its sender has used its nonce, so that it was replaced', async () => {
    const of = (hash: Hex, nonce: number) =>
      api.get(`/api/v1/bridge/explain?hash=${hash}&sender=${alice.address}&nonce=${nonce}`);
    const used = await bridge.ethereum.client.getTransactionCount({ address: alice.address });
    expect(await of(aHash(), used - 1)).toMatchObject({
      status: 200,
      body: { code: 'REPLACED', message: expect.stringContaining(`has used the nonce ${used - 1} on Ethereum`) },
    });
    expect(await of(aHash(), used)).toMatchObject({ status: 200, body: { code: 'NOT_FOUND' } });
    expect((await api.get(`/api/v1/bridge/explain?hash=${aHash()}&nonce=1`)).status).toBe(400);
  });

  it('when no block has it yet', async () => {
    await bridge.ethereum.test.setAutomine(false);
    try {
      const hash = await makeWallet(bridge.ethereum).sendTransaction({ to: anAddress(), value: 1n, gas: 21_000n });
      expect(await notFound(hash)).toEqual(verdict('NOT_MINED', 'known on Ethereum'));
    } finally {
      await bridge.ethereum.test.setAutomine(true);
    }
  });

  it('when no node knows it', async () => {
    expect(await notFound(aHash())).toEqual(verdict('NOT_FOUND', 'may not have reached the nodes yet'));
  });
});
