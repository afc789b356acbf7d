import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAmount, getToken } from '@causeway/protocol';
import {
  configResponseSchema,
  feeQuoteResponseSchema,
  limitsResponseSchema,
  stateResponseSchema,
} from '@causeway/protocol/rest';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { aBurn, opening } from '@causeway/store/test';
import { ETHEREUM, PARTNER, testAccount, waitUntil } from '@causeway/test-kit';
import { hashTypedData, verifyTypedData, zeroAddress } from 'viem';
import { skipCache } from './clock.js';
import { alice, INTENT, formatMessage, signIntent } from './signed-intent.js';
import { refusal, temporaryApi, type TemporaryApi } from './temporary-api.js';
import { temporaryBridge, type TemporaryBridge } from './temporary-bridge.js';

let bridge: TemporaryBridge;
let api: TemporaryApi;
beforeAll(async () => {
  bridge = await temporaryBridge();
  api = await temporaryApi(bridge, {
    PUBLIC_PARTNER_RPC_URLS: 'https://rpc.example, https://rpc2.example',
    PARTNER_EXPLORER_URLS: 'https://explorer.example',
  });
});
afterAll(async () => {
  await api?.close();
  await bridge?.stop();
});

describe('GET /bridge/fee-quote', () => {
  const quote = (token: string, amount: string, direction = 'PARTNER_TO_ETHEREUM') =>
    api.get(`/api/v1/bridge/fee-quote?${new URLSearchParams({ token, amount, direction }).toString()}`);

  it('quotes a withdrawal by the policy of the contract', async () => {
    const { status, body } = await quote('USDC', '2400.5');
    expect(status).toBe(200);
    expect(feeQuoteResponseSchema.parse(body)).toEqual({
      token: 'USDC',
      direction: 'PARTNER_TO_ETHEREUM',
      inputAmount: '2400500000',
      inputAmountFormatted: '2400.5',
      feeAmount: '6001250',
      feeAmountFormatted: '6.00125',
      feeBps: 25,
      outputAmount: '2394498750',
      outputAmountFormatted: '2394.49875',
      minimumAmount: '10000000',
      maximumAmount: '5000000000000',
      // BridgeLock holds nothing yet.
      availableAmount: '0',
      availableAmountFormatted: '0',
      paused: false,
      deliverable: false,
      undeliverableReason: 'COLLATERAL_SHORT',
      deliverableAt: null,
      estimatedSeconds: null,
    });
  });

  it('charges nothing for a deposit, and asks for no minimum', async () => {
    expect((await quote('USDC', '0.000001', 'ETHEREUM_TO_PARTNER')).body).toMatchObject({
      feeAmount: '0',
      feeBps: 0,
      outputAmount: '1',
      minimumAmount: '0',
      availableAmountFormatted: '5000000',
      deliverable: true,
      undeliverableReason: null,
      deliverableAt: null,
      estimatedSeconds: 54,
    });
    expect((await quote('XCN', '0.00000001', 'ETHEREUM_TO_PARTNER')).body).toMatchObject({
      outputAmount: '10000000000',
      deliverable: false,
      undeliverableReason: 'FLOAT_SHORT',
    });
  });

  it.each([
    ['ETH', '0.009999999999999999', 'BELOW_MINIMUM', 'minimum of 0.01 ETH'],
    ['XCN', '4999.99999999', 'BELOW_MINIMUM', 'minimum of 5000 XCN'],
    ['USDC', '0', 'BELOW_MINIMUM', 'minimum of 10 USDC'],
    ['ETH', '1000.000000000000000001', 'VALIDATION_ERROR', 'amount is above the maximum of 1000 ETH'],
    ['XCN', '50000000.00000001', 'VALIDATION_ERROR', 'amount is above the maximum of 50000000 XCN'],
    ['USDC', '1.0000001', 'VALIDATION_ERROR', 'amount'],
    ['XCN', '5000.000000001', 'VALIDATION_ERROR', 'amount'],
    ['ETH', '1e3', 'VALIDATION_ERROR', 'amount'],
    ['BTC', '1', 'VALIDATION_ERROR', 'token'],
  ])('refuses %s %s as %s', async (token, amount, code, words) => {
    expect(await quote(token, amount)).toEqual(refusal(400, code, expect.stringContaining(words)));
  });

  it('accepts the maximum, and refuses a deposit above it', async () => {
    expect((await quote('ETH', '1000')).status).toBe(200);
    expect((await quote('USDC', '5000000', 'ETHEREUM_TO_PARTNER')).status).toBe(200);
    expect(await quote('USDC', '5000000.000001', 'ETHEREUM_TO_PARTNER')).toEqual(
      refusal(400, 'VALIDATION_ERROR', expect.stringContaining('amount is above the maximum')),
    );
  });

  it.each([
    ['ETH', '0.01'],
    ['ETH', '0.009999999999999999'],
    ['ETH', '1000.000000000000000001'],
    ['USDC', '2000.0004'],
    ['XCN', '400000'],
    ['XCN', '50000000.00000001'],
  ] as const)('refuses %s %s when quoteFee of the contract does, and else charges the same', async (token, amount) => {
    const onChain = await bridge.partner.client
      .readContract({
        address: bridge.book.partner.bridgeMint,
        abi: bridgeMintAbi,
        functionName: 'quoteFee',
        args: [getToken(bridge.book, 'partner', token), parseAmount(token, amount)],
      })
      .catch(() => null);
    const { body } = await quote(token, amount);
    expect((body as { feeAmount?: string }).feeAmount ?? null).toBe(onChain === null ? null : onChain.toString());
  });

  it('refuses a deposit of 0', async () => {
    expect(await quote('ETH', '0', 'ETHEREUM_TO_PARTNER')).toEqual(
      refusal(400, 'VALIDATION_ERROR', expect.stringContaining('amount')),
    );
  });
});

describe('GET /bridge/limits', () => {
  it('shows fees, minimums, confirmations, hold and outflow room, and may be cached', async () => {
    const { status, body, headers } = await api.get('/api/v1/bridge/limits');
    expect(status).toBe(200);
    const limits = limitsResponseSchema.parse(body);
    expect(limits.ETHEREUM_TO_PARTNER).toMatchObject({
      requiredConfirmations: 4,
      holdSeconds: 0,
      estimatedSeconds: 54,
    });
    expect(limits.PARTNER_TO_ETHEREUM).toMatchObject({
      requiredConfirmations: 3,
      holdSeconds: 60,
      estimatedSeconds: 114,
    });
    const xcn = { token: 'XCN', outflowRoomFormatted: '50000000' };
    expect(limits.ETHEREUM_TO_PARTNER.assets).toContainEqual(
      expect.objectContaining({ ...xcn, feeBps: 0, minimumFee: '0', minimumAmount: '0' }),
    );
    expect(limits.PARTNER_TO_ETHEREUM.assets).toContainEqual(
      expect.objectContaining({ ...xcn, feeBps: 25, minimumFeeFormatted: '1000', minimumAmountFormatted: '5000' }),
    );
    expect(limits.ETHEREUM_TO_PARTNER.paused).toBe(false);
    expect(limits.ETHEREUM_TO_PARTNER.assets).toContainEqual(
      expect.objectContaining({ token: 'ETH', maximumAmountFormatted: '1000', mayBegin: true }),
    );
    expect(limits.PARTNER_TO_ETHEREUM.assets.map(({ token }) => token)).toEqual(['ETH', 'USDC', 'XCN']);
    expect(headers['cache-control']).toBe('public, max-age=180');
    expect(headers['content-type']).toMatch(/^application\/json/);
  });

  it('has an ETag: a client that knows the answer gets 304 without a body', async () => {
    const { headers } = await api.get('/api/v1/bridge/limits');
    const known = { 'if-none-match': `"other", W/${String(headers['etag'])}` };
    expect(await api.get('/api/v1/bridge/limits', known)).toMatchObject({ status: 304, body: null });
    expect(await api.get('/api/v1/bridge/limits', { 'if-none-match': '"other"' })).toMatchObject({ status: 200 });
  });

  it('refuses parameters', async () => {
    expect(await api.get('/api/v1/bridge/limits?token=ETH')).toEqual(
      refusal(400, 'VALIDATION_ERROR', expect.stringContaining('token')),
    );
  });
});

describe('GET /bridge/config', () => {
  const config = () => api.get('/api/v1/bridge/config');

  it('names chains, contracts, tokens, terms and the typed data of intents, and may be cached', async () => {
    const { status, body, headers } = await config();
    expect(status).toBe(200);
    const { ethereum, partner, relayer } = bridge.book;
    const answer = configResponseSchema.parse(body);
    expect(answer).toEqual(body);
    expect(answer).toMatchObject({
      environment: 'local',
      ethereum: { chainId: 31_337, bridgeLock: ethereum.bridgeLock, requiredConfirmations: 4 },
      partner: { chainId: 8_901, bridgeMint: partner.bridgeMint, requiredConfirmations: 3 },
      relayerWalletAddress: relayer,
      holdSeconds: 60,
    });
    expect(answer.ethereum.tokens).toEqual([
      { token: 'ETH', address: zeroAddress, decimals: 18, granularity: '1' },
      { token: 'USDC', address: ethereum.tokens.USDC, decimals: 6, granularity: '1' },
      { token: 'XCN', address: ethereum.tokens.XCN, decimals: 18, granularity: '10000000000' },
    ]);
    expect(answer.partner.tokens[2]).toMatchObject({ token: 'XCN', address: zeroAddress });
    expect(answer.withdrawals[1]).toMatchObject({ token: 'USDC', feeBps: 25, minimumFee: '5000000' });
    expect(answer.ethereum.walletChain).toBeNull();
    expect(answer.partner.walletChain).toEqual({
      chainId: '0x22c5',
      chainName: 'Local partner chain',
      rpcUrls: ['https://rpc.example', 'https://rpc2.example'],
      nativeCurrency: { name: 'XCN', symbol: 'XCN', decimals: 18 },
      blockExplorerUrls: ['https://explorer.example'],
    });
    // A cached copy could name a replaced wallet.
    expect(headers['cache-control']).toBe('no-cache');
    expect(headers['etag']).toMatch(/^"[\w-]+"$/);
  });

  it('gives the domain and types under which the API accepts a signature', async () => {
    const { domain, types, primaryType } = configResponseSchema.parse((await config()).body).intent;
    const body = await signIntent(bridge.book);
    const { signature, ...terms } = body;
    const typed = { domain, types, primaryType, message: formatMessage(terms) } as const;
    expect(await verifyTypedData({ ...typed, address: alice.address, signature })).toBe(true);
    expect(await api.post(INTENT, body)).toMatchObject({
      status: 200,
      body: { intentId: hashTypedData(typed as never) },
    });
  });
});

describe('what can be delivered', () => {
  const quote = async (token: string, amount: string, direction = 'PARTNER_TO_ETHEREUM') =>
    (await api.get(`/api/v1/bridge/fee-quote?${new URLSearchParams({ token, amount, direction }).toString()}`)).body;
  const readLimits = async (asset: string) => {
    const { PARTNER_TO_ETHEREUM } = limitsResponseSchema.parse((await api.get('/api/v1/bridge/limits')).body);
    return PARTNER_TO_ETHEREUM.assets.find(({ token }) => token === asset);
  };

  it('is the collateral, less what waits already; the rest is flagged', async () => {
    await bridge.ethereum.test.setBalance({
      address: bridge.book.ethereum.bridgeLock,
      value: parseAmount('ETH', '30'),
    });
    await bridge.ethereum.test.mine({ blocks: 1 });
    skipCache();
    await waitUntil('it is known', async () => (await readLimits('ETH'))?.availableAmountFormatted === '30');
    expect(await quote('ETH', '30')).toMatchObject({ deliverable: true, estimatedSeconds: 114 });
    expect(await quote('ETH', '30.1')).toMatchObject({ deliverable: false, undeliverableReason: 'COLLATERAL_SHORT' });

    const amount = parseAmount('ETH', '12');
    const waiting = aBurn({ asset: 'ETH', amount, fee: 1n, outputAmount: amount - 1n });
    await api.scan(PARTNER, { events: [opening(waiting)] });
    skipCache();
    await waitUntil('the burn counts', async () => (await readLimits('ETH'))?.availableAmountFormatted === '18');
    expect(await quote('ETH', '18.1')).toMatchObject({ deliverable: false, availableAmountFormatted: '18' });
  });

  it('is bounded by the capacity of the outflow limit: above it an amount is refused', async () => {
    const { client, wallet } = bridge.ethereum;
    const setLimit = (whole: string) =>
      wallet.writeContract({
        account: testAccount(7),
        address: bridge.book.ethereum.bridgeLock,
        abi: bridgeLockAbi,
        functionName: 'setOutflowLimit',
        args: [bridge.book.ethereum.tokens.XCN, parseAmount('XCN', whole), 3_600n],
      });
    await client.waitForTransactionReceipt({ hash: await setLimit('7000') });
    skipCache();
    await waitUntil('it is known', async () => (await readLimits('XCN'))?.maximumAmountFormatted === '7000');
    expect(await quote('XCN', '7000.1')).toMatchObject({
      error: 'VALIDATION_ERROR',
      message: 'amount is above the maximum of 7000 XCN',
    });
    const tooMuch = await signIntent(bridge.book, { amountAtomic: parseAmount('XCN', '7000.1').toString() });
    expect(await api.post(INTENT, tooMuch)).toEqual(
      refusal(400, 'VALIDATION_ERROR', expect.stringMatching(/^amountAtomic /)),
    );
    // An amount that can be delivered only later is accepted, and the response says so.
    const later = await signIntent(bridge.book);
    const flags = { deliverable: false, undeliverableReason: 'COLLATERAL_SHORT', deliverableAt: null };
    expect(await api.post(INTENT, later)).toMatchObject({ status: 200, body: flags });
    await client.waitForTransactionReceipt({ hash: await setLimit('50000000') });
  });

  it.each([
    ['a chain is halted', async () => api.store.halts.halt(ETHEREUM, 'test')],
    ['the deliveries are halted', async () => api.store.halts.haltDeliveries('test')],
  ])('is nothing while %s', async (_, halt) => {
    for (const each of await api.store.halts.list()) await api.store.halts.lift(each);
    const limits = async () => limitsResponseSchema.parse((await api.get('/api/v1/bridge/limits')).body);
    const isPaused = async () => (await limits()).ETHEREUM_TO_PARTNER.deliveriesPaused;
    skipCache();
    await waitUntil('no halt is known', async () => !(await isPaused()));
    expect(await quote('USDC', '20', 'ETHEREUM_TO_PARTNER')).toMatchObject({ deliverable: true });
    await halt();
    skipCache();
    await waitUntil('it is known', isPaused);
    const flags = { paused: false, deliverable: false, undeliverableReason: 'PAUSED', estimatedSeconds: null };
    expect(await quote('USDC', '20', 'ETHEREUM_TO_PARTNER')).toMatchObject(flags);
  });
});

describe('GET /bridge/state', () => {
  const state = async () => stateResponseSchema.parse((await api.get('/api/v1/bridge/state')).body);

  it('shows directions with their limits, funds, attesters and announced changes of the contracts', async () => {
    for (const each of await api.store.halts.list()) await api.store.halts.lift(each);
    const deliveries = await api.store.halts.deliveries();
    if (deliveries !== null) await api.store.halts.liftDeliveries(deliveries, []);
    skipCache();
    const isKnown = async () => (await state()).directions.some(({ open }) => open);
    await waitUntil('no halt is known', isKnown);
    const { directions, assets, attesters, announcements } = await state();
    const find = (asset: string, direction: string) =>
      directions.find((each) => each.asset === asset && each.direction === direction);
    const limit = { capacity: '5000000000000', capacityFormatted: '5000000' };
    expect(find('USDC', 'ETHEREUM_TO_PARTNER')).toEqual({
      asset: 'USDC',
      direction: 'ETHEREUM_TO_PARTNER',
      open: true,
      reason: null,
      until: null,
      limit: { ...limit, remaining: limit.capacity, remainingFormatted: limit.capacityFormatted },
    });
    // BridgeMint holds no native XCN, and BridgeLock no USDC.
    expect(find('XCN', 'ETHEREUM_TO_PARTNER')).toMatchObject({ open: false, reason: 'FUNDS_SHORT', until: null });
    expect(find('USDC', 'PARTNER_TO_ETHEREUM')).toMatchObject({ open: false, reason: 'FUNDS_SHORT', limit });
    expect(find('ETH', 'PARTNER_TO_ETHEREUM')).toMatchObject({ open: true });
    expect(assets.find(({ asset }) => asset === 'XCN')).toMatchObject({ float: '0', floatFormatted: '0' });
    expect(assets.find(({ asset }) => asset === 'ETH')).toMatchObject({ float: null });
    expect(attesters).toEqual({ ethereum: { members: 0, needed: 0 }, partner: { members: 0, needed: 0 } });
    expect(announcements).toEqual([]);
  });
});

describe('a direction that is stopped, and a closed asset', () => {
  it('are shown by the limits; quotes go on while paused, and refuse the asset', async () => {
    const { client, wallet } = bridge.ethereum;
    const lock = { address: bridge.book.ethereum.bridgeLock, abi: bridgeLockAbi } as const;
    const pause = await wallet.writeContract({ ...lock, functionName: 'pause', args: [true, false] });
    const listing = await wallet.writeContract({
      ...lock,
      functionName: 'setListing',
      args: [zeroAddress, false, true],
    });
    for (const hash of [pause, listing]) await client.waitForTransactionReceipt({ hash });
    const limits = async () => limitsResponseSchema.parse((await api.get('/api/v1/bridge/limits')).body);
    skipCache();
    await waitUntil('the pause is known', async () => (await limits()).ETHEREUM_TO_PARTNER.paused);
    const { ETHEREUM_TO_PARTNER: inbound, PARTNER_TO_ETHEREUM: outbound } = await limits();
    expect(outbound.paused).toBe(false);
    expect(inbound.assets.map(({ token, mayBegin }) => [token, mayBegin])).toEqual([
      ['ETH', false],
      ['USDC', true],
      ['XCN', true],
    ]);
    const { directions } = stateResponseSchema.parse((await api.get('/api/v1/bridge/state')).body);
    for (const { direction, open, reason } of directions)
      if (direction === 'ETHEREUM_TO_PARTNER') expect({ open, reason }).toEqual({ open: false, reason: 'PAUSED' });
    const quote = (token: string) =>
      api.get(`/api/v1/bridge/fee-quote?token=${token}&amount=20&direction=ETHEREUM_TO_PARTNER`);
    expect(await quote('USDC')).toMatchObject({ status: 200, body: { paused: true } });
    expect(await quote('ETH')).toEqual(refusal(400, 'VALIDATION_ERROR', expect.stringMatching(/^token ETH/)));
  });
});
