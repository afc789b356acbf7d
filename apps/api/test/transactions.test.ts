import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { lower } from '@causeway/chain';
import {
  parseAmount,
  getToken,
  type Asset,
  type Direction,
  type IntentResponse,
  type UnsignedCall,
} from '@causeway/protocol';
import { transactionsResponseSchema } from '@causeway/protocol/rest';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { anAddress, SmartAccounts, testAccount, waitUntil } from '@causeway/test-kit';
import {
  concatHex,
  parseEventLogs,
  parseSignature,
  serializeCompactSignature,
  signatureToCompactSignature,
  toHex,
  zeroAddress,
  type TransactionReceipt,
} from 'viem';
import { alice, bob, INTENT } from './signed-intent.js';
import { refusal, temporaryApi, type TemporaryApi } from './temporary-api.js';
import { temporaryBridge, type TemporaryBridge } from './temporary-bridge.js';

let bridge: TemporaryBridge;
let api: TemporaryApi;
beforeAll(async () => {
  bridge = await temporaryBridge();
  api = await temporaryApi(bridge);
});
afterAll(async () => {
  await api?.close();
  await bridge?.stop();
});

const senderAddress = lower(alice.address);
const request = (token: Asset, amount: string, direction: Direction, over: object = {}) =>
  api.post('/api/v1/bridge/transactions', {
    token,
    amount,
    direction,
    senderAddress,
    recipientAddress: anAddress('recipient'),
    ...over,
  });

async function transactions(...asked: Parameters<typeof request>) {
  const { status, body } = await request(...asked);
  expect({ status, body }).toMatchObject({ status: 200 });
  const answer = transactionsResponseSchema.parse(body);
  expect(answer).toEqual(body);
  return answer;
}

/** Signs and sends calls unchanged, with their gas limits. */
async function send(calls: readonly UnsignedCall[]): Promise<TransactionReceipt> {
  let receipt: TransactionReceipt | null = null;
  for (const { chainId, from, to, data, value, gas } of calls) {
    expect(from).toBe(senderAddress);
    const { wallet, client } = chainId === bridge.book.ethereum.chainId ? bridge.ethereum : bridge.partner;
    const fields = { account: alice, to, data, value: BigInt(value), gas: BigInt(gas) };
    const hash = await wallet.sendTransaction({ ...fields, chain: null });
    receipt = await client.waitForTransactionReceipt({ hash });
    expect(receipt.status).toBe('success');
    // At least half of the used gas is left as a margin.
    expect(Number(receipt.gasUsed) * 1.5).toBeLessThanOrEqual(Number(gas));
  }
  if (receipt === null) throw new Error('There were no calls to send');
  return receipt;
}

/** Gives Alice tokens of a development chain. */
async function mintTestTokens(asset: 'USDC' | 'XCN', amount: bigint): Promise<void> {
  const { wallet, client } = bridge.ethereum;
  const address = getToken(bridge.book, 'ethereum', asset);
  const hash = await wallet.writeContract({
    address,
    abi: [
      {
        type: 'function',
        name: 'mint',
        stateMutability: 'nonpayable',
        inputs: [{ type: 'address' }, { type: 'uint256' }],
        outputs: [],
      },
    ],
    functionName: 'mint',
    args: [alice.address, amount],
  } as const);
  expect(await client.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
}

let deposits = 0n;
/** Gives Alice bridged tokens, like the relayer. */
async function mintBridged(asset: 'ETH' | 'USDC', amount: bigint): Promise<void> {
  const { wallet, client } = bridge.partner;
  const hash = await wallet.writeContract({
    account: testAccount(1),
    address: bridge.book.partner.bridgeMint,
    abi: bridgeMintAbi,
    functionName: 'mint',
    args: [deposits++, getToken(bridge.book, 'partner', asset), alice.address, amount],
  });
  expect(await client.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
}

describe('POST /bridge/transactions', () => {
  it('gives the call of a deposit of ETH', async () => {
    const { calls, quote, typedData } = await transactions('ETH', '1.5', 'ETHEREUM_TO_PARTNER');
    expect(calls).toMatchObject([{ chainId: 31_337, to: bridge.book.ethereum.bridgeLock, value: quote.inputAmount }]);
    expect(typedData).toBeNull();
    const { logs } = await send(calls);
    const [deposit] = parseEventLogs({ abi: bridgeLockAbi, eventName: 'Deposit', logs });
    expect(deposit?.args).toMatchObject({ sender: alice.address, amount: parseAmount('ETH', '1.5') });
    expect(lower(deposit!.args.recipient)).toBe(anAddress('recipient'));
  });

  it.each(['USDC', 'XCN'] as const)('gives approval and deposit of %s, and no approval that exists', async (token) => {
    await mintTestTokens(token, parseAmount(token, '40'));
    const first = await transactions(token, '25', 'ETHEREUM_TO_PARTNER');
    expect(first.calls).toHaveLength(2);
    const { logs } = await send(first.calls);
    const [deposit] = parseEventLogs({ abi: bridgeLockAbi, eventName: 'Deposit', logs });
    expect(deposit?.args.amount).toBe(parseAmount(token, '25'));

    const { client, wallet } = bridge.ethereum;
    const hash = await wallet.writeContract({
      account: alice,
      address: getToken(bridge.book, 'ethereum', token),
      abi: bridgedTokenAbi,
      functionName: 'approve',
      args: [bridge.book.ethereum.bridgeLock, parseAmount(token, '15')],
      chain: null,
    });
    await client.waitForTransactionReceipt({ hash });
    await waitUntil('the allowance is seen', async () => {
      return (await transactions(token, '15', 'ETHEREUM_TO_PARTNER')).calls.length === 1;
    });
    await send((await transactions(token, '15', 'ETHEREUM_TO_PARTNER')).calls);
  });

  it.each([
    ['USDC', 'ERC-2612'],
    ['USDC', 'ERC-3009'],
    ['XCN', 'ERC-2612'],
  ] as const)('gives a deposit of %s by a signature of %s', async (token, standard) => {
    await mintTestTokens(token, parseAmount(token, '7'));
    const { bySignature } = await transactions(token, '7', 'ETHEREUM_TO_PARTNER');
    expect(bySignature.map((each) => each.standard)).toEqual(
      token === 'USDC' ? ['ERC-2612', 'ERC-3009'] : ['ERC-2612'],
    );
    const { typedData, call } = bySignature.find((each) => each.standard === standard)!;
    const { r, s, v } = parseSignature(await alice.signTypedData(typedData));
    const data = concatHex([call.data, toHex(v!, { size: 32 }), r, s]);
    // Bob pays the gas of an authorization.
    const account = standard === 'ERC-3009' ? bob : alice;
    const { wallet, client } = bridge.ethereum;
    const fields = { account, to: call.to, data, gas: BigInt(call.gas), chain: null };
    const { logs, status, gasUsed } = await client.waitForTransactionReceipt({
      hash: await wallet.sendTransaction(fields),
    });
    expect(status).toBe('success');
    expect(Number(gasUsed) * 1.5).toBeLessThanOrEqual(Number(call.gas));
    const [deposit] = parseEventLogs({ abi: bridgeLockAbi, eventName: 'Deposit', logs });
    expect(deposit?.args).toMatchObject({ sender: alice.address, amount: parseAmount(token, '7') });
    expect(lower(deposit!.args.recipient)).toBe(anAddress('recipient'));
  });

  it.each(['ETH', 'USDC'] as const)('gives the burn of %s, for at most the quoted fee', async (token) => {
    await mintBridged(token, parseAmount(token, '50'));
    const { calls, quote } = await transactions(token, '50', 'PARTNER_TO_ETHEREUM');
    const { logs } = await send(calls);
    const [withdraw] = parseEventLogs({ abi: bridgeMintAbi, eventName: 'Withdraw', logs });
    expect(withdraw?.args).toMatchObject({ amount: BigInt(quote.inputAmount), fee: BigInt(quote.feeAmount) });
    expect(lower(withdraw!.args.destination)).toBe(anAddress('recipient'));
  });

  it('gives the withdrawal of native XCN', async () => {
    const { calls, quote } = await transactions('XCN', '6000', 'PARTNER_TO_ETHEREUM');
    const { logs } = await send(calls);
    const [withdraw] = parseEventLogs({ abi: bridgeMintAbi, eventName: 'Withdraw', logs });
    expect(withdraw?.args).toMatchObject({ token: zeroAddress, amount: BigInt(quote.inputAmount) });
  });

  it('gives the typed data of an intent, which the API accepts when it is signed', async () => {
    const { calls, typedData, intentBody } = await transactions('XCN', '6001', 'PARTNER_TO_ETHEREUM', {
      byIntent: true,
    });
    expect(calls).toEqual([]);
    // Signs like a wallet, from the response's JSON alone.
    const signature = await alice.signTypedData(typedData as never);
    // In the 64-byte form of EIP-2098, which contracts and a rebuild do not accept, so 65 bytes are stored.
    const compact = serializeCompactSignature(signatureToCompactSignature(parseSignature(signature)));
    for (const signed of [compact, signature]) {
      const answer = await api.post(INTENT, { ...intentBody, signature: signed });
      expect(answer).toMatchObject({ status: 200, body: { status: 'PENDING_ORIGIN_TX', amountFormatted: '6001' } });
      const { intentId } = answer.body as IntentResponse;
      expect(await api.store.intents.find(intentId)).toMatchObject({ signature });
    }
  });

  it('warns of a recipient without code at the destination and of a sender who cannot pay, as does the quote', async () => {
    const ethereum = new SmartAccounts(bridge.ethereum.client, bridge.ethereum.wallet);
    const safe = lower(await ethereum.deploy('MultiSigAccount', [alice.address, bob.address]));
    const asked = ['USDC', '25', 'ETHEREUM_TO_PARTNER', { senderAddress: safe, recipientAddress: safe }] as const;
    const warned = await waitUntil('the account is seen', async () => {
      const { warnings, calls } = await transactions(...asked);
      expect(calls).toHaveLength(2);
      return warnings.length === 2 ? warnings : null;
    });
    expect(warned).toEqual([
      {
        code: 'RECIPIENT_HAS_NO_CODE',
        message: expect.stringContaining('is a contract on Ethereum and has no code on the partner chain'),
        field: 'recipientAddress',
      },
      {
        code: 'SENDER_CANNOT_PAY',
        message: 'senderAddress has 0 USDC on Ethereum, and the transfer takes 25 USDC.',
        field: 'senderAddress',
      },
    ]);
    const quote = (over: object) => {
      const query = { token: 'USDC', amount: '25', direction: 'ETHEREUM_TO_PARTNER', ...over };
      return api.get(`/api/v1/bridge/fee-quote?${new URLSearchParams(query).toString()}`);
    };
    expect(await quote({ sender: safe, recipient: safe })).toMatchObject({
      status: 200,
      body: {
        warnings: [
          { code: 'RECIPIENT_HAS_NO_CODE', field: 'recipient' },
          { code: 'SENDER_CANNOT_PAY', field: 'sender' },
        ],
      },
    });
    const { relayer } = bridge.book;
    expect((await quote({ recipient: relayer })).body).toMatchObject({
      warnings: [{ code: 'RECIPIENT_OF_BRIDGE', message: expect.stringContaining('the relayer wallet') }],
    });
    expect((await quote({ recipient: anAddress('recipient') })).body).toMatchObject({ warnings: [] });
    expect((await quote({})).body).not.toHaveProperty('warnings');
  });

  it.each<[string, Parameters<typeof request>, string, string]>([
    ['an amount below the minimum', ['ETH', '0.001', 'PARTNER_TO_ETHEREUM'], 'BELOW_MINIMUM', 'amount'],
    ['an amount above the maximum', ['ETH', '1001', 'ETHEREUM_TO_PARTNER'], 'VALIDATION_ERROR', 'amount'],
    ['an intent of USDC', ['USDC', '20', 'PARTNER_TO_ETHEREUM', { byIntent: true }], 'VALIDATION_ERROR', 'byIntent'],
    ['an unknown field', ['USDC', '20', 'PARTNER_TO_ETHEREUM', { gas: 1 }], 'VALIDATION_ERROR', 'gas'],
    [
      'the zero address',
      ['USDC', '20', 'PARTNER_TO_ETHEREUM', { recipientAddress: zeroAddress }],
      'VALIDATION_ERROR',
      'recipientAddress is the zero address;',
    ],
  ])('refuses %s', async (_, asked, code, field) => {
    expect(await request(...asked)).toEqual(refusal(400, code, expect.stringMatching(new RegExp(`^${field} `))));
  });

  it('refuses an address of the bridge on either chain as recipient', async () => {
    const { ethereum, partner, relayer } = bridge.book;
    for (const recipientAddress of [ethereum.bridgeLock, partner.bridgeMint, partner.tokens.USDC, relayer])
      expect(await request('ETH', '1', 'ETHEREUM_TO_PARTNER', { recipientAddress })).toEqual(
        refusal(400, 'VALIDATION_ERROR', expect.stringMatching(/^recipientAddress /)),
      );
  });

  it('refuses a direction that is paused, where the call would revert', async () => {
    const { client, wallet } = bridge.ethereum;
    const lock = { address: bridge.book.ethereum.bridgeLock, abi: bridgeLockAbi } as const;
    const hash = await wallet.writeContract({ ...lock, functionName: 'pause', args: [true, false] });
    await client.waitForTransactionReceipt({ hash });
    await waitUntil(
      'the pause is known',
      async () => (await request('ETH', '1', 'ETHEREUM_TO_PARTNER')).status === 503,
    );
    expect(await request('ETH', '1', 'ETHEREUM_TO_PARTNER')).toEqual(refusal(503, 'SERVICE_PAUSED'));
  });
});
