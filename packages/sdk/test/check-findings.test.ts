import { describe, expect, it } from '@jest/globals';
import { parseEther, toHex } from 'viem';
import { FINDING_CODES, type FindingCode } from '../src/index.js';
import {
  aboveMaximum,
  ACCOUNT,
  BURN,
  check,
  CONFIG,
  DEPOSIT,
  expectForUser,
  GWEI,
  later,
  LIMITS,
  onPartner,
  OWN,
  refusal,
  warning,
  WHEN,
  WITHDRAW_XCN,
  type Scenario,
} from './checked-transfer.js';

const BY_INTENT = { ...WITHDRAW_XCN, kind: 'INTENT' } as const;
const atBaseFee = (gwei: bigint) => ({
  answers: { eth_getBlockByNumber: { number: '0x1', timestamp: '0x1', baseFeePerGas: toHex(gwei * GWEI) } },
});
const waits = (words: string) => ({ severity: 'acceptable', passes: true, message: expect.stringContaining(words) });

/** Each finding, how it comes about, and the words that a user needs. */
const TABLE: [FindingCode, string, Scenario, object][] = [
  [
    'WRONG_NETWORK',
    'chainId',
    { node: { chainId: 1, balance: 0n } },
    {
      message: 'The wallet is on Ethereum (chain 1), and this step is on the local Ethereum (chain 31337).',
      nextStep: 'Switch the wallet to the local Ethereum (chain 31337).',
    },
  ],
  [
    'AMOUNT_TOO_LOW',
    'amount',
    {
      transfer: { ...BURN, amount: '0.001' },
      node: onPartner,
      quote: refusal('BELOW_MINIMUM', 'amount is below the minimum'),
    },
    {
      message: '0.001 ETH is below the minimum of 0.01 ETH.',
      nextStep: 'Choose at least 0.01 ETH.',
      remedyAmount: '0.01',
    },
  ],
  [
    'AMOUNT_TOO_LOW',
    'amount',
    { transfer: { ...DEPOSIT, amount: '0' }, quote: refusal('VALIDATION_ERROR', 'amount must be above 0') },
    { nextStep: 'Choose at least 0.000000000000000001 ETH.', remedyAmount: '0.000000000000000001' },
  ],
  [
    'AMOUNT_TOO_HIGH',
    'amount',
    { transfer: { ...DEPOSIT, amount: '1000.5' }, node: { balance: parseEther('2000') }, quote: aboveMaximum },
    {
      message: '1000.5 ETH is above the maximum of 1000 ETH.',
      nextStep: 'Choose at most 1000 ETH.',
      remedyAmount: '1000',
    },
  ],
  [
    'AMOUNT_HAS_DUST',
    'amount',
    { transfer: { ...WITHDRAW_XCN, amount: 6_000n * 10n ** 18n + 1n }, node: onPartner },
    {
      message: '6000.000000000000000001 XCN is not a multiple of 0.00000001 XCN.',
      nextStep: 'Choose 6000 XCN.',
      remedyAmount: '6000',
    },
  ],
  [
    'BALANCE_TOO_LOW',
    'amount',
    { node: { balance: parseEther('2') } },
    {
      message:
        `${ACCOUNT} has 2 ETH on the local Ethereum (chain 31337), ` +
        'and the transfer takes 2.5 ETH and up to 0.00018 ETH for gas.',
      nextStep: 'Add funds to the account, or choose a lower amount.',
    },
  ],
  [
    'BALANCE_TOO_LOW',
    'sender',
    { transfer: { ...DEPOSIT, asset: 'USDC' }, quote: { warnings: [warning('SENDER_CANNOT_PAY', 'sender')] } },
    { message: 'sender is special.' },
  ],
  [
    'GAS_TOO_LOW',
    'sender',
    { node: { balance: parseEther('2.5001') } },
    {
      severity: 'acceptable',
      message: expect.stringContaining('has 2.5001 ETH'),
      nextStep: expect.stringContaining('You can also begin anyway.'),
    },
  ],
  [
    'GAS_TOO_HIGH',
    'maxGasFee',
    { node: atBaseFee(200n) },
    {
      passes: true,
      message: 'The node asks for up to 0.02406 ETH for gas, and at most 0.02 ETH are accepted.',
      nextStep: 'Wait until gas is cheaper, or allow a higher fee for gas.',
    },
  ],
  [
    'GAS_TOO_HIGH',
    'maxGasFee',
    { transfer: BURN, node: { ...onPartner, ...atBaseFee(1n) }, terms: { maxGasFee: GWEI } },
    { passes: true, message: expect.stringContaining('at most 0.000000001 XCN') },
  ],
  ['GAS_TOO_LOW', 'sender', { transfer: BURN, node: { ...onPartner, balance: 0n } }, { severity: 'acceptable' }],
  [
    'FEE_TOO_HIGH',
    'amount',
    { transfer: BURN, node: onPartner, terms: { maxFeeShareBps: 24 } },
    { message: 'The fee is 0.00625 ETH, and at most 0.006 ETH are accepted.' },
  ],
  [
    'FEE_TOO_HIGH',
    'amount',
    { transfer: BURN, node: onPartner, terms: { maxFee: 6_249_999_999_999_999n, maxFeeShareBps: 25 } },
    { message: 'The fee is 0.00625 ETH, and at most 0.0062499 ETH are accepted.' },
  ],
  [
    'RECIPIENT_IS_ZERO',
    'recipient',
    { transfer: { ...DEPOSIT, recipient: `0x${'0'.repeat(40)}` } },
    { message: 'The recipient is the zero address: the funds would be lost there.' },
  ],
  ...(
    [
      [CONFIG.ethereum.bridgeLock, 'BridgeLock'],
      [CONFIG.partner.bridgeMint, 'BridgeMint'],
      [CONFIG.relayerWalletAddress ?? '', 'the relayer wallet of the bridge'],
      [CONFIG.ethereum.tokens.find(({ token }) => token === 'USDC')?.address ?? '', 'the contract of USDC'],
      [CONFIG.partner.tokens.find(({ token }) => token === 'ETH')?.address ?? '', 'the contract of ETH'],
    ] as const
  ).map(([recipient, name]): (typeof TABLE)[number] => [
    'RECIPIENT_OF_BRIDGE',
    'recipient',
    { transfer: { ...DEPOSIT, recipient }, quote: { warnings: [warning('RECIPIENT_OF_BRIDGE', 'recipient')] } },
    { message: `The recipient is ${name}: the funds would be lost there.` },
  ]),
  // A former relayer wallet, which only the API knows.
  ['RECIPIENT_OF_BRIDGE', 'recipient', { quote: { warnings: [warning('RECIPIENT_OF_BRIDGE', 'recipient')] } }, {}],
  ['RECIPIENT_CANNOT_MOVE', 'recipient', { quote: { warnings: [warning('RECIPIENT_CANNOT_MOVE', 'recipient')] } }, {}],
  [
    'RECIPIENT_HAS_NO_CODE',
    'recipient',
    { quote: { warnings: [warning('RECIPIENT_HAS_NO_CODE', 'recipient')] } },
    { severity: 'acceptable' },
  ],
  [
    'SENDER_CANNOT_SIGN',
    'sender',
    { transfer: WITHDRAW_XCN, node: { ...onPartner, code: '0x6001' } },
    { message: expect.stringContaining('in units of 10^10 wei'), nextStep: expect.stringContaining('account') },
  ],
  [
    'API_ALONE',
    'addressBook',
    { transfer: BY_INTENT, node: onPartner },
    { severity: 'note', message: expect.stringContaining('trusted with the whole transfer') },
  ],
  [
    'API_ALONE',
    'partnerRpcUrl',
    { transfer: BY_INTENT, node: onPartner, bridge: { addressBook: OWN.addressBook } },
    { nextStep: expect.stringContaining('one transaction') },
  ],
  ['PAUSED', 'direction', { quote: { paused: true } }, { passes: true }],
  [
    'PAUSED',
    'direction',
    {
      transfer: BY_INTENT,
      node: onPartner,
      config: { relayerWalletAddress: null },
      bridge: OWN,
    },
    { passes: true, message: expect.stringContaining('no relayer wallet') },
  ],
  [
    'PAUSED',
    'asset',
    {
      quote: refusal('VALIDATION_ERROR', 'token ETH is not accepted in this direction any more'),
      limits: {
        ETHEREUM_TO_PARTNER: {
          ...LIMITS.ETHEREUM_TO_PARTNER,
          assets: LIMITS.ETHEREUM_TO_PARTNER.assets.map((each) => ({ ...each, mayBegin: false })),
        },
      },
    },
    { message: 'ETH is not accepted in this direction.' },
  ],
  [
    'LIMIT_REACHED',
    'amount',
    { quote: later('OUTFLOW_LIMIT', WHEN, '1499999999999999999') },
    {
      severity: 'acceptable',
      passes: true,
      until: WHEN,
      message: 'The delivery would wait until Fri, 15 Jan 2027 08:00:01 GMT: the outflow limit is reached.',
      nextStep: 'Choose at most 1.4999 ETH, or wait. You can also begin anyway.',
      remedyAmount: '1.4999',
    },
  ],
  ['FUNDS_SHORT', 'amount', { quote: later('COLLATERAL_SHORT') }, waits('collateral')],
  [
    'FUNDS_SHORT',
    'amount',
    // Less than the minimum of a withdrawal.
    { transfer: BURN, node: onPartner, quote: later('COLLATERAL_SHORT', null, '9000000000000000') },
    { ...waits('collateral'), nextStep: 'Wait, and try again later. You can also begin anyway.' },
  ],
  ['FUNDS_SHORT', 'amount', { quote: later('FLOAT_SHORT') }, waits('for an unknown time: the bridge is short of coin')],
  ['DELIVERIES_PAUSED', 'amount', { quote: later('PAUSED') }, waits('deliveries are paused')],
  [
    'CHAIN_HALTED',
    'amount',
    { quote: later('PAUSED'), health: { halts: [{ chainId: 8_901, since: WHEN }] } },
    waits('the partner chain (chain 8901) is halted since Fri, 15 Jan 2027 08:00:01 GMT'),
  ],
  [
    'CHAIN_AWAY',
    'amount',
    { quote: later('CHAIN_AWAY') },
    waits('the nodes of a chain do not answer the bridge, or it makes no blocks'),
  ],
  ['RELAYER_AWAY', 'amount', { quote: later('RELAYER_AWAY') }, waits('no relayer is running')],
  ['NOT_CHECKED', 'amount', { quote: later('DATABASE_AWAY') }, waits('DATABASE_AWAY')],
  ['NOT_CHECKED', 'amount', { quote: later('A_NEW_REASON') }, waits('A_NEW_REASON')],
  [
    'NOT_CHECKED',
    'recipient',
    { quote: { warnings: [warning('NOT_CHECKED', 'recipient')] } },
    { severity: 'acceptable', passes: true },
  ],
  ['NOT_CHECKED', 'recipient', { quote: { warnings: [warning('A_NEW_WARNING', 'recipient')] } }, { severity: 'note' }],
];

describe('a check', () => {
  it.each(TABLE)('finds %s of the %s, and nothing else', async (code, field, scenario, words) => {
    const { report } = await check(scenario);
    expect(report.findings).toEqual([
      {
        code,
        field,
        severity: 'blocking',
        passes: false,
        until: null,
        message: expect.stringMatching(/\.$/),
        nextStep: expect.stringMatching(/\.$/),
        ...words,
      },
    ]);
    for (const { nextStep } of report.findings) expectForUser(nextStep);
  });

  it('has a row for each finding', () => {
    expect(new Set(TABLE.map(([code]) => code))).toEqual(new Set(FINDING_CODES));
  });
});
