import { describe, expect, it } from '@jest/globals';
import type { CheckReport, Finding, Step } from '@causeway/sdk';
import {
  chooseKind,
  describeGas,
  describeShare,
  fillForm,
  listRemedies,
  mayBegin,
  nameSignature,
  splitTime,
} from './form.js';

const ASSETS = ['ETH', 'USDC', 'XCN'];
const finding = (code: Finding['code'], more: Partial<Finding> = {}): Finding => ({
  code,
  field: 'amount',
  severity: 'blocking',
  passes: false,
  until: null,
  message: '',
  nextStep: '',
  ...more,
});

describe('the form', () => {
  it('is filled by a link, whose recipient is marked', () => {
    const link = { asset: 'usdc', to: 'ethereum', amount: '25', recipient: '0x1' };
    expect(fillForm(link, ASSETS)).toEqual({
      asset: 'USDC',
      direction: 'PARTNER_TO_ETHEREUM',
      amount: '25',
      recipient: '0x1',
      isFromLink: true,
      byIntent: false,
    });
  });

  it('ignores an unknown asset and direction of a link', () => {
    expect(fillForm({ asset: 'DOGE', to: 'moon' }, ASSETS)).toMatchObject({
      asset: 'ETH',
      direction: 'ETHEREUM_TO_PARTNER',
      isFromLink: false,
    });
  });

  it.each([
    [{ asset: 'ETH', to: 'partner' }, false, 'DEPOSIT'],
    [{ asset: 'USDC', to: 'ethereum' }, false, 'BURN'],
    [{ asset: 'XCN', to: 'ethereum' }, false, 'WITHDRAW_NATIVE'],
    [{ asset: 'XCN', to: 'ethereum' }, true, 'INTENT'],
  ])('chooses the transfer of %j, by intent %s: %s', (link, byIntent, kind) => {
    expect(chooseKind({ ...fillForm(link, ASSETS), byIntent })).toBe(kind);
  });

  it('describes the effective share of a fee', () => {
    expect(describeShare(0n, 100n)).toBe('0 %');
    expect(describeShare(25n, 10_000n)).toBe('0.25 %');
    expect(describeShare(1n, 10_000_000n)).toBe('below 0.01 %');
  });

  it('rounds a gas fee up, in the coin of its chain', () => {
    expect(describeGas(60_000_000_840_000n, 'ethereum')).toBe('0.000061 ETH');
    expect(describeGas(5n * 10n ** 18n, 'partner')).toBe('5 XCN');
  });

  it('splits the time into its parts', () => {
    const terms = { confirmations: 6, blockMs: 2_000, hold: 3_600 };
    expect(splitTime(3_700, terms)).toEqual({ confirming: 12, held: 3_600, queue: 88 });
    expect(splitTime(10, terms)).toEqual({ confirming: 10, held: 0, queue: 0 });
  });

  it('names the next signature', () => {
    const deposit = { kind: 'DEPOSIT', asset: 'USDC', amount: '25' } as const;
    const approval: Step = { step: 'send', what: 'approval', state: 'planned' };
    expect(nameSignature({ ...deposit, asset: 'ETH' }, null)).toBe('Deposit 25 ETH');
    expect(nameSignature(deposit, [approval])).toBe('Approve 25 USDC');
    expect(nameSignature(deposit, [{ step: 'batch', state: 'planned', callsId: '' }])).toBe(
      'Approve and deposit 25 USDC',
    );
    expect(nameSignature({ ...deposit, kind: 'INTENT', asset: 'XCN' }, null)).toBe('Sign the withdrawal of 25 XCN');
  });

  it('offers the remedies of a finding', () => {
    expect(listRemedies(finding('WRONG_NETWORK'), null)).toEqual([{ kind: 'switch' }]);
    expect(listRemedies(finding('AMOUNT_TOO_LOW', { remedyAmount: '5' }), null)).toEqual([
      { kind: 'amount', amount: '5' },
    ]);
    expect(listRemedies(finding('BALANCE_TOO_LOW'), '3')).toEqual([{ kind: 'amount', amount: '3' }]);
    expect(listRemedies(finding('BALANCE_TOO_LOW'), '0')).toEqual([]);
    expect(listRemedies(finding('RECIPIENT_HAS_NO_CODE', { severity: 'acceptable' }), null)).toEqual([
      { kind: 'own-recipient' },
      { kind: 'accept' },
    ]);
  });

  it('lets a transfer begin with notes and accepted findings only', () => {
    const report = (...findings: Finding[]) => ({ findings }) as unknown as CheckReport;
    const acceptable = finding('GAS_TOO_LOW', { severity: 'acceptable' });
    expect(mayBegin(report(finding('API_ALONE', { severity: 'note' })), [])).toBe(true);
    expect(mayBegin(report(acceptable), [])).toBe(false);
    expect(mayBegin(report(acceptable), ['GAS_TOO_LOW'])).toBe(true);
    expect(mayBegin(report(finding('PAUSED')), ['PAUSED'])).toBe(false);
  });
});
