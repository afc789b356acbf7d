import { describe, expect, it } from '@jest/globals';
import type { DelayReason } from '@causeway/protocol';
import { ENDLESS_DELAYS, type AlertSeverity, type ConsoleAlertCode } from '@causeway/protocol/admin';
import { computeAlerts, type AlertFacts } from './alerts.js';

const NOW = 1_800_000_000_000;
const XCN = 10n ** 18n;
const ago = (minutes: number) => new Date(NOW - minutes * 60_000);
const chain = (side: 'ethereum' | 'partner') => ({
  side,
  chainId: side === 'ethereum' ? 1 : 2,
  nextBlock: 10n,
  headBlock: 9n,
  readAt: ago(0),
  halt: null,
});
const CALM: AlertFacts = {
  nowMs: NOW,
  chains: [chain('ethereum'), chain('partner')],
  deliveriesHalt: null,
  pauses: [],
  unknownDeliveries: [],
  lease: { holder: 'one', token: 3n, expiresAt: ago(-1), isHeld: true },
  open: { byDelay: [] },
  float: 900n * XCN,
  floatDaysLeft: null,
  surpluses: [{ asset: 'ETH', amount: 0n }],
  refunds: { count: 0, oldestSince: null },
  approvals: { count: 0, oldestSince: null },
  differences: [],
};
const halt = { since: ago(5), reason: 'lost final blocks' };
type Part = AlertFacts['open']['byDelay'][number]['parts'][number];
const ETH_OUT: Part = { asset: 'ETH', direction: 'PARTNER_TO_ETHEREUM', count: 2, amount: 15n * 10n ** 17n };
const XCN_IN: Part = { asset: 'XCN', direction: 'ETHEREUM_TO_PARTNER', count: 1, amount: 2_000_000n * XCN };
const delay = (reason: DelayReason, minutes: number, parts: readonly Part[] = [ETH_OUT]) => ({
  open: { byDelay: [{ reason, count: 2, oldestSince: ago(minutes), parts }] },
});
const pause = (side: 'ethereum' | 'partner', what: 'beginnings' | 'deliveries', until: string | null = null) => ({
  side,
  what,
  direction: (side === 'ethereum') === (what === 'beginnings') ? 'ETHEREUM_TO_PARTNER' : 'PARTNER_TO_ETHEREUM',
  isPaused: true,
  until,
  count: '1',
});
const difference = (side: 'ethereum' | 'partner', amount: bigint) => ({
  side,
  chainId: 1,
  wallet: `0x${'a'.repeat(40)}` as const,
  blockNumber: 5n,
  amount,
  foundAt: ago(1),
});
const listSentences = (over: Partial<AlertFacts>) =>
  computeAlerts({ ...CALM, ...over }).map(({ sentence }) => sentence);

describe('alerts', () => {
  it('are empty when the bridge is healthy', () => {
    expect(computeAlerts(CALM)).toEqual([]);
    expect(computeAlerts({ ...CALM, pauses: [{ ...pause('ethereum', 'deliveries'), isPaused: false }] })).toEqual([]);
  });

  it.each<readonly [ConsoleAlertCode, AlertSeverity, Partial<AlertFacts>]>([
    ['Halted', 'critical', { chains: [{ ...chain('partner'), halt }] }],
    ['Halted', 'critical', { deliveriesHalt: halt }],
    [
      'UnknownDelivery',
      'critical',
      { unknownDeliveries: [{ name: 'Mint', operationId: '0x1', txHash: '0x2', minedAt: ago(1) }] },
    ],
    ['NoActiveRelayer', 'critical', { lease: { ...CALM.lease, isHeld: false } }],
    ['ReadingStuck', 'critical', { chains: [{ ...chain('ethereum'), readAt: ago(4) }] }],
    ['Insolvent', 'critical', { surpluses: [{ asset: 'USDC', amount: -1n }] }],
    ['FloatLow', 'warning', { floatDaysLeft: 2.9 }],
    ['FloatEmpty', 'critical', { floatDaysLeft: 0.2 }],
    ['QuorumLost', 'critical', { surpluses: null }],
    ['QuorumLost', 'critical', { float: null }],
    ['QuorumLost', 'critical', { pauses: null }],
    ['Paused', 'warning', { pauses: [pause('partner', 'deliveries')] }],
    ['DeliveryWaits', 'warning', delay('OUTFLOW_LIMIT', 31)],
    ['MintNotBacked', 'critical', delay('BACKING_SHORT', 0)],
    ['NumberUsedUp', 'critical', delay('NUMBER_USED_UP', 0)],
    ['ApprovalsWait', 'info', { approvals: { count: 1, oldestSince: ago(2) } }],
    ['RefundsWait', 'info', { refunds: { count: 1, oldestSince: ago(1) } }],
    ['RefundsWait', 'warning', { refunds: { count: 1, oldestSince: ago(25 * 60) } }],
    ['BalanceUnexplained', 'warning', { differences: [difference('partner', -3n)] }],
  ])('name %s as %s', (code, severity, over) => {
    const alerts = computeAlerts({ ...CALM, ...over });
    expect(alerts).toMatchObject([{ code, severity, runbook: `docs/runbook.md#${code.toLowerCase()}` }]);
    for (const { sentence, whatToDo } of alerts) {
      expect(sentence).toMatch(/^[A-Z0-9].*[^.]\.?$/);
      expect(whatToDo.length).toBeGreaterThan(10);
    }
  });

  it('list a paused direction together with the XCN that wait for float', () => {
    const alerts = computeAlerts({
      ...CALM,
      ...delay('FLOAT_SHORT', 0, [XCN_IN]),
      float: 125n * 10n ** 17n,
      pauses: [pause('partner', 'beginnings', '2026-12-02T03:00:00.000Z')],
    });
    expect(alerts).toMatchObject([
      {
        code: 'Paused',
        sentence:
          'BridgeMint on the partner chain is paused: withdrawals back to Ethereum stop until 2026-12-02T03:00:00.000Z.',
      },
      {
        code: 'DeliveryWaits',
        subject: 'FLOAT_SHORT',
        sentence: '2,000,000 XCN wait for float in 1 operation: the float has 12.5 XCN.',
        whatToDo: 'fund the float with causeway-admin top-up --chain partner',
      },
    ]);
  });

  it('name the deliveries that a pause stops', () => {
    expect(listSentences({ pauses: [pause('ethereum', 'beginnings'), pause('ethereum', 'deliveries')] })).toEqual([
      'BridgeLock on Ethereum is paused: deposits from Ethereum to the partner chain stop until its admin ends the pause.',
      'BridgeLock on Ethereum is paused: deliveries back to Ethereum stop until its admin ends the pause.',
    ]);
  });

  it('distinguish coin for gas from float', () => {
    expect(listSentences(delay('FLOAT_SHORT', 0, [ETH_OUT, XCN_IN]))).toEqual([
      '2,000,000 XCN wait for float in 1 operation: the float has 900 XCN. 1.5 ETH wait for coin in the relayer wallet in 2 operations.',
    ]);
    expect(listSentences({ ...delay('FLOAT_SHORT', 0, [XCN_IN]), float: 3_000_000n * XCN })).toEqual([
      '2,000,000 XCN wait for coin in the relayer wallet in 1 operation.',
    ]);
  });

  it.each(Object.keys(ENDLESS_DELAYS) as DelayReason[])(
    'list %s immediately, since it does not end by itself',
    (reason) => {
      expect(computeAlerts({ ...CALM, ...delay(reason, 0) })).toMatchObject([{ subject: reason }]);
    },
  );

  it('omit delays that can end by themselves until half an hour has passed', () => {
    expect(computeAlerts({ ...CALM, ...delay('OUTFLOW_LIMIT', 29), floatDaysLeft: 3.1 })).toEqual([]);
    expect(listSentences(delay('NODE_UNAVAILABLE', 31, [ETH_OUT, XCN_IN]))).toEqual([
      '1.5 ETH and 2,000,000 XCN wait for a node of the destination chain in 3 operations.',
    ]);
  });

  it('state balance differences in coin, more or less', () => {
    expect(listSentences({ differences: [difference('ethereum', 5n * 10n ** 17n)] })[0]).toContain(
      'block 5 of Ethereum, the relayer wallet has 0.5 ETH more than',
    );
    expect(listSentences({ differences: [difference('partner', -1_234n * XCN)] })[0]).toContain('1,234 XCN less than');
  });

  it('do not report a halted chain as stuck', () => {
    const alerts = computeAlerts({ ...CALM, chains: [{ ...chain('ethereum'), readAt: ago(60), halt }] });
    expect(alerts.map(({ code }) => code)).toEqual(['Halted']);
  });

  it('come with critical alerts first and waiting requests last', () => {
    const alerts = computeAlerts({
      ...CALM,
      ...delay('PAUSED', 40),
      approvals: { count: 2, oldestSince: ago(3) },
      lease: { ...CALM.lease, isHeld: false },
    });
    expect(alerts.map(({ severity }) => severity)).toEqual(['critical', 'warning', 'info']);
  });
});
