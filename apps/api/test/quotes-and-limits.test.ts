import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { feeQuoteResponseSchema, limitsResponseSchema, parseAmount, tokenOfAsset } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { waitUntil } from '@causeway/test-kit';
import { zeroAddress } from 'viem';
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
      paused: false,
      // 3 blocks of 2 s, the hold of 60 s, 4 blocks of 12 s.
      estimatedSeconds: 114,
    });
  });

  it('charges nothing for a deposit, and asks for no minimum', async () => {
    expect((await quote('XCN', '0.00000001', 'ETHEREUM_TO_PARTNER')).body).toMatchObject({
      feeAmount: '0',
      feeBps: 0,
      outputAmount: '10000000000',
      minimumAmount: '0',
      estimatedSeconds: 54,
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
        args: [tokenOfAsset(bridge.book, 'partner', token), parseAmount(token, amount)],
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

  it('refuses parameters', async () => {
    expect(await api.get('/api/v1/bridge/limits?token=ETH')).toEqual(
      refusal(400, 'VALIDATION_ERROR', expect.stringContaining('token')),
    );
  });
});

describe('a direction that is stopped, and an asset that is wound down', () => {
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
    // The API caches the values of the contracts for 5 seconds.
    await waitUntil('the pause is known', async () => (await limits()).ETHEREUM_TO_PARTNER.paused);
    const { ETHEREUM_TO_PARTNER: inbound, PARTNER_TO_ETHEREUM: outbound } = await limits();
    expect(outbound.paused).toBe(false);
    expect(inbound.assets.map(({ token, mayBegin }) => [token, mayBegin])).toEqual([
      ['ETH', false],
      ['USDC', true],
      ['XCN', true],
    ]);
    const quote = (token: string) =>
      api.get(`/api/v1/bridge/fee-quote?token=${token}&amount=20&direction=ETHEREUM_TO_PARTNER`);
    expect(await quote('USDC')).toMatchObject({ status: 200, body: { paused: true } });
    expect(await quote('ETH')).toEqual(refusal(400, 'VALIDATION_ERROR', expect.stringMatching(/^token ETH/)));
  });
});
