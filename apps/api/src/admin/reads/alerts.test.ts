import { describe, expect, it } from '@jest/globals';
import { alertsOf, type AlertFacts } from './alerts.js';

const NOW = 1_800_000_000_000;
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
  unknownDeliveries: [],
  lease: { holder: 'one', token: 3n, expiresAt: ago(-1), isHeld: true },
  open: { byStatus: [], byDelay: [], amounts: [], oldest: null },
  isFloatKnown: true,
  floatDaysLeft: null,
  surpluses: [{ asset: 'ETH', amount: 0n }],
  refunds: { count: 0, oldestSince: null },
  differences: [],
};
const halt = { since: ago(5), reason: 'lost final blocks' };
const delay = (reason: 'PAUSED' | 'BACKING_SHORT' | 'NUMBER_USED_UP', minutes: number) => ({
  open: { ...CALM.open, byDelay: [{ reason, count: 2, oldestSince: ago(minutes) }] },
});

describe('alerts', () => {
  it('are none about a calm bridge', () => {
    expect(alertsOf(CALM)).toEqual([]);
  });

  it.each<readonly [string, 'critical' | 'warning', Partial<AlertFacts>]>([
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
    ['QuorumLost', 'warning', { surpluses: null }],
    ['DeliveryWaits', 'warning', delay('PAUSED', 31)],
    ['MintNotBacked', 'critical', delay('BACKING_SHORT', 31)],
    ['NumberUsedUp', 'critical', delay('NUMBER_USED_UP', 31)],
    ['RefundsWait', 'warning', { refunds: { count: 1, oldestSince: ago(25 * 60) } }],
    [
      'BalanceUnexplained',
      'warning',
      {
        differences: [{ chainId: 1, wallet: `0x${'a'.repeat(40)}`, blockNumber: 5n, amount: -3n, foundAt: ago(1) }],
      },
    ],
  ])('name %s as %s', (code, severity, over) => {
    const alerts = alertsOf({ ...CALM, ...over });
    expect(alerts).toMatchObject([{ code, severity }]);
    for (const { sentence, whatToDo } of alerts) {
      expect(sentence).toMatch(/^[A-Z0-9]/);
      expect(whatToDo.length).toBeGreaterThan(10);
    }
  });

  it('leave out short delays and young refunds', () => {
    const refunds = { count: 3, oldestSince: ago(60) };
    expect(alertsOf({ ...CALM, ...delay('PAUSED', 29), refunds, floatDaysLeft: 3.1 })).toEqual([]);
  });

  it('do not call a halted chain stuck', () => {
    const alerts = alertsOf({ ...CALM, chains: [{ ...chain('ethereum'), readAt: ago(60), halt }] });
    expect(alerts.map(({ code }) => code)).toEqual(['Halted']);
  });

  it('come with the critical ones first', () => {
    const alerts = alertsOf({ ...CALM, ...delay('PAUSED', 40), lease: { ...CALM.lease, isHeld: false } });
    expect(alerts.map(({ severity }) => severity)).toEqual(['critical', 'warning']);
  });
});
