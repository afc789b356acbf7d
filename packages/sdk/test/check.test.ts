import { describe, expect, it } from '@jest/globals';
import { parseEther, toHex } from 'viem';
import {
  assertPasses,
  checkTransfer,
  connectBridge,
  planDeposit,
  readFunds,
  type CheckError,
  type CheckTerms,
  type Finding,
  type FindingCode,
  type PlannedTransfer,
} from '../src/index.js';
import { makeAnswer, refuse, startApi } from './api-server.js';
import {
  aboveMaximum,
  ACCOUNT,
  BURN,
  check,
  CONFIG,
  DEPOSIT,
  GWEI,
  later,
  makeWallet,
  onPartner,
  RECIPIENT,
  refusal,
  warning,
  WITHDRAW_XCN,
  type Scenario,
} from './checked-transfer.js';

describe('a check', () => {
  it('of a transfer without a problem asks the bridge two times and a node of a key three times', async () => {
    const { report, asked, seen } = await check({});
    expect(report).toMatchObject({
      findings: [],
      config: CONFIG,
      token: { token: 'ETH' },
      amount: parseEther('2.5'),
      quote: { feeAmount: '0', outputAmountFormatted: '2.5' },
      gasFee: 180_000_000_000_000n,
      block: { number: 100n, timestamp: 0x65a4n, baseFee: GWEI },
    });
    expect(seen.map(({ path }) => path).toSorted()).toEqual(['bridge/config', 'bridge/fee-quote']);
    expect(seen.find(({ path }) => path === 'bridge/fee-quote')?.query).toEqual({
      token: 'ETH',
      amount: '2.5',
      direction: 'ETHEREUM_TO_PARTNER',
      sender: ACCOUNT,
      recipient: RECIPIENT,
    });
    expect(asked.toSorted()).toEqual([
      'eth_chainId []',
      `eth_getBalance ["${ACCOUNT}","latest"]`,
      'eth_getBlockByNumber ["latest",false]',
    ]);
  });

  it('takes atomic units, and quotes the decimal that they are', async () => {
    const { report, seen } = await check({ transfer: { ...DEPOSIT, amount: 2_500_000_000_000_000_000n } });
    expect(report).toMatchObject({ findings: [], amount: parseEther('2.5') });
    expect(seen.find(({ path }) => path === 'bridge/fee-quote')?.query).toMatchObject({ amount: '2.5' });
  });

  it.each<[string, Scenario]>([
    ['the fee is exactly the maximum', { transfer: BURN, node: onPartner, terms: { maxFeeShareBps: 25 } }],
    ['the fee is that of a quote', { transfer: BURN, node: onPartner, terms: { maxFee: parseEther('0.00625') } }],
    ['the coin is exactly enough', { node: { balance: parseEther('2.50018') } }],
    ['a contract sends tokens', { transfer: BURN, node: { ...onPartner, balance: 0n, code: '0x6001' } }],
    ['a contract sends the coin of Ethereum', { node: { balance: parseEther('2.5'), code: '0x6001' } }],
    [
      'a key delegates to a contract',
      { transfer: WITHDRAW_XCN, node: { ...onPartner, code: `0xef0100${'1'.repeat(40)}` } },
    ],
    [
      'a wallet with a window asks for its fee itself',
      {
        node: {
          code: '0x',
          answers: { eth_getBlockByNumber: { number: '0x1', timestamp: '0x1', baseFeePerGas: '0x4000000000' } },
        },
      },
    ],
    ['a window is that of a key', { transfer: WITHDRAW_XCN, node: { ...onPartner, code: '0x' } }],
    [
      'a contract pays XCN in units',
      { transfer: WITHDRAW_XCN, node: { ...onPartner, code: '0x6001', paysInUnits: true } },
    ],
    ['the API knows an older balance of the coin', { quote: { warnings: [warning('SENDER_CANNOT_PAY', 'sender')] } }],
  ])('finds nothing when %s', async (_, scenario) => {
    expect((await check(scenario)).report.findings).toEqual([]);
  });

  it('finds several things, and blocking ones first', async () => {
    const { report } = await check({
      quote: { ...later('RELAYER_AWAY'), paused: true, warnings: [warning('A_NEW_WARNING', 'recipient')] },
      node: { balance: 0n },
    });
    expect(report.findings.map(({ code, severity }) => [code, severity])).toEqual([
      ['BALANCE_TOO_LOW', 'blocking'],
      ['PAUSED', 'blocking'],
      ['RELAYER_AWAY', 'acceptable'],
      ['NOT_CHECKED', 'note'],
    ]);
  });

  it('has no quote and no block that count where a finding blocks', async () => {
    const { report } = await check({
      quote: aboveMaximum,
      transfer: { ...DEPOSIT, amount: '1001' },
      node: { chainId: 1 },
    });
    expect(report).toMatchObject({ quote: null, block: null });
    expect(report.findings.map(({ code }) => code)).toEqual(['WRONG_NETWORK', 'AMOUNT_TOO_HIGH']);
  });
});

describe('a check that cannot be made', () => {
  it.each<[string, object, CheckTerms]>([
    ['kind', { ...DEPOSIT, kind: 'CLAIM' }, {}],
    ['kind', { ...DEPOSIT, kind: 'toString' }, {}],
    ['recipient', { ...DEPOSIT, recipient: '0xd8da6BF26964aF9D7eEd9e03E53415D37aA96045' }, {}],
    ['amount', { ...DEPOSIT, amount: '1e3' }, {}],
    ['amount', { ...DEPOSIT, amount: 1 }, {}],
    ['maxFeeShareBps', DEPOSIT, { maxFeeShareBps: 0.5 }],
    ['maxGasFee', DEPOSIT, { maxGasFee: (10 ** 16) as never }],
  ])('because of a malformed %s asks nothing', async (field, transfer, terms) => {
    const { wallet, asked } = makeWallet();
    const planned = transfer as PlannedTransfer;
    const noBridge = connectBridge({ apiUrl: 'http://bridge', fetch: async () => Promise.reject(new Error('asked')) });
    await expect(checkTransfer(noBridge, wallet, planned, terms)).rejects.toMatchObject({
      name: 'InvalidInputError',
      field,
    });
    expect(asked).toEqual([]);
  });

  it.each<[string, Scenario, object]>([
    ['the asset is not one of the bridge', { transfer: { ...DEPOSIT, asset: 'DOGE' } }, { field: 'asset' }],
    ['the coin would be burnt', { transfer: { ...BURN, asset: 'XCN' } }, { field: 'asset' }],
    ['a token would be withdrawn as a coin', { transfer: { ...WITHDRAW_XCN, asset: 'USDC' } }, { field: 'asset' }],
    [
      'the amount has too many digits',
      {
        transfer: { ...DEPOSIT, asset: 'USDC', amount: '1.0000001' },
        quote: refusal('VALIDATION_ERROR', 'amount has more digits'),
      },
      { name: 'InvalidInputError', field: 'amount' },
    ],
    [
      'the API refuses the amount and its limits do not',
      { quote: refusal('VALIDATION_ERROR', 'amount is strange') },
      { name: 'ApiError', field: 'amount' },
    ],
    [
      'the API refuses',
      { quote: refuse(503, { error: 'SERVICE_PAUSED', message: 'closed' }) },
      { code: 'SERVICE_PAUSED' },
    ],
    ['the configuration is malformed', { config: { partner: {} } }, { name: 'AnswerError', field: 'partner.chainId' }],
    ...(
      [
        ['token', 'USDC'],
        ['direction', 'PARTNER_TO_ETHEREUM'],
        ['inputAmount', '250000000000000000000'],
        ['inputAmountFormatted', '250'],
        ['feeAmount', '1'],
        ['feeAmountFormatted', '1'],
        ['outputAmount', '1'],
        ['outputAmountFormatted', '1'],
      ] as const
    ).map(([field, value]): [string, Scenario, object] => [
      `the quote is of another ${field}`,
      { quote: { [field]: value } },
      { name: 'AnswerError', field },
    ]),
    ['the node fails', { node: { answers: { eth_chainId: undefined } } }, { name: 'WalletFailedError' }],
    ['the node answers nonsense', { node: { answers: { eth_getBalance: '10 ETH' } } }, { name: 'WalletFailedError' }],
    ['the node has no block', { node: { answers: { eth_getBlockByNumber: null } } }, { name: 'WalletFailedError' }],
  ])('because %s is an error', async (_, scenario, error) => {
    await expect(check(scenario)).rejects.toMatchObject(error);
  });

  it('because the node fails closes its requests to the bridge', async () => {
    const [arrived, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const api = await startApi({
      'bridge/config': CONFIG,
      'bridge/fee-quote': (response) => {
        response.once('close', closed.resolve);
        arrived.resolve();
      },
    });
    const { wallet } = makeWallet();
    const failing = { ...wallet, request: async () => arrived.promise };
    await expect(checkTransfer(api.bridge, failing, DEPOSIT)).rejects.toMatchObject({ name: 'WalletFailedError' });
    await closed.promise;
    await api.close();
  });

  it('ends with the reason of its signal', async () => {
    const reason = new Error('the user left');
    await expect(check({ terms: { signal: AbortSignal.abort(reason) } })).rejects.toBe(reason);
  });
});

describe('a report', () => {
  it('of a wallet on another chain throws WrongNetworkError with the words of its finding', async () => {
    const { report } = await check({ node: { chainId: CONFIG.partner.chainId, balance: 0n } });
    const [finding] = report.findings;
    expect(report).toMatchObject({ expectedChainId: CONFIG.ethereum.chainId, actualChainId: CONFIG.partner.chainId });
    expect(() => assertPasses(report)).toThrow(
      expect.objectContaining({
        name: 'WrongNetworkError',
        expectedChainId: CONFIG.ethereum.chainId,
        actualChainId: CONFIG.partner.chainId,
        message: finding?.message,
        nextStep: finding?.nextStep,
      }),
    );
  });

  it('can be tried again only if all its findings say when', async () => {
    const until = new Date(Date.now() + 90_000).toISOString();
    const getRetry = async (quote: object) => {
      const { report } = await check({ quote });
      try {
        assertPasses(report);
      } catch (error) {
        return (error as CheckError).retry;
      }
      return undefined;
    };
    const limited = later('OUTFLOW_LIMIT', until);
    expect(await getRetry(limited)).toEqual({ helps: true, afterSeconds: expect.closeTo(90, -1) });
    expect(await getRetry({ ...limited, paused: true })).toEqual({ helps: false });
    expect(await getRetry(later('COLLATERAL_SHORT'))).toEqual({ helps: false });
  });

  const blocking = { quote: { paused: true, ...later('RELAYER_AWAY') } };

  it('passes without findings, and with notes and what the caller accepts', async () => {
    const { report } = await check({
      quote: { ...later('RELAYER_AWAY'), warnings: [warning('A_NEW_WARNING', 'sender')] },
    });
    assertPasses(report, ['RELAYER_AWAY']);
    // Both are there: the type says so.
    expect([report.quote.feeAmount, report.block.number]).toEqual(['0', 100n]);
  });

  it.each<[string, readonly FindingCode[], readonly FindingCode[]]>([
    ['all that count', [], ['PAUSED', 'RELAYER_AWAY']],
    ['blocking ones, which cannot be accepted', ['PAUSED', 'RELAYER_AWAY'], ['PAUSED']],
  ])('with findings is a CheckError with %s', async (_, accept, codes) => {
    const { report } = await check(blocking);
    let thrown: unknown;
    try {
      assertPasses(report, accept);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ name: 'CheckError', field: 'direction', retry: { helps: false } });
    expect((thrown as { findings: Finding[] }).findings.map(({ code }) => code)).toEqual(codes);
    for (const { message, nextStep } of (thrown as { findings: Finding[] }).findings) {
      expect(thrown).toHaveProperty('message', expect.stringContaining(message));
      expect(thrown).toHaveProperty('nextStep', expect.stringContaining(nextStep));
    }
  });
});

const GAS_OF_DEPOSIT = 180_000_000_000_000n;

async function withApi<T>(routes: object, use: (api: Awaited<ReturnType<typeof startApi>>) => Promise<T>): Promise<T> {
  const api = await startApi({ 'bridge/config': CONFIG, ...routes });
  try {
    return await use(api);
  } finally {
    await api.close();
  }
}

describe('the funds of an account', () => {
  it('leave the gas of a coin, in multiples of its granularity', async () => {
    await withApi({}, async ({ bridge }) => {
      const funds = await readFunds(bridge, makeWallet().wallet, DEPOSIT);
      expect(funds.most).toBe(parseEther('10') - funds.gasFee);
      expect(funds.gasFee).toBe(GAS_OF_DEPOSIT);
      const { most, gasFee } = await readFunds(bridge, makeWallet(onPartner).wallet, WITHDRAW_XCN);
      expect(most % 10n ** 10n).toBe(0n);
      expect(parseEther('10000') - gasFee - most).toBeLessThan(10n ** 10n);
      const poor = makeWallet({ balance: 1n });
      expect(await readFunds(bridge, poor.wallet, DEPOSIT)).toMatchObject({ balance: 1n, most: 0n });
    });
  });

  it('are the whole balance of a token', async () => {
    const { wallet } = makeWallet({ answers: { eth_call: toHex(25_000_000n, { size: 32 }) } });
    await withApi({}, async ({ bridge }) =>
      expect(await readFunds(bridge, wallet, { ...DEPOSIT, asset: 'USDC' })).toMatchObject({
        balance: 25_000_000n,
        most: 25_000_000n,
      }),
    );
  });

  it('are not read from a node of another chain', async () => {
    await withApi({}, async ({ bridge }) =>
      expect(readFunds(bridge, makeWallet({ chainId: 1 }).wallet, DEPOSIT)).rejects.toThrow('is on Ethereum'),
    );
  });
});

describe('the steps of a deposit', () => {
  it('are one transaction for a coin, and an approval first for a token without signatures', async () => {
    const { wallet } = makeWallet();
    const terms = { asset: 'ETH', amount: 1n, recipient: RECIPIENT };
    await withApi(
      { 'bridge/transactions': makeAnswer('writeTransactions', { bySignature: [] }) },
      async ({ bridge }) => {
        const list = async (asset: string) =>
          (await planDeposit(bridge, wallet, { ...terms, asset })).map((step) =>
            'what' in step ? step.what : step.step,
          );
        expect(await list('ETH')).toEqual(['transfer']);
        expect(await list('USDC')).toEqual(['approval', 'transfer']);
      },
    );
  });
});
