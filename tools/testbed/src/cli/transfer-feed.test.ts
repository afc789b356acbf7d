import { describe, expect, it } from '@jest/globals';
import type { Operation } from '@causeway/store';
import { describeHolder, describeTransfer } from './transfer-feed.js';

const id = `0x${'5f3a'.repeat(16)}` as const;
const operation = {
  updatedAt: new Date('2026-11-25T19:58:01Z'),
  id,
  asset: 'ETH',
  amount: 2_000_000_000_000_000_007n,
  direction: 'PARTNER_TO_ETHEREUM',
  status: 'PROCESSING_DESTINATION',
  delayedReason: null,
  failureReason: null,
} as Operation;

describe('a transfer in the feed', () => {
  it('shows local time and zone, and the whole id on a second line when new', () => {
    const [line = '', whole = '', ...others] = describeTransfer(operation, true);
    expect(line).toMatch(/^\d\d:\d\d:\d\d[+-]\d\d:\d\d 0x5f3a5f3a +2\.0+7 ETH out PROCESSING_DESTINATION$/);
    expect(Date.parse(`2026-11-25T${line.slice(0, 14)}`) % 86_400_000).toBe(operation.updatedAt.getTime() % 86_400_000);
    expect(whole.trim()).toBe(id);
    expect(others).toEqual([]);
    expect(describeTransfer(operation, false)).toEqual([line]);
  });

  it('says why it failed', () => {
    const failed = { ...operation, status: 'FAILED', failureReason: 'REJECTED_BY_OPERATORS' } as Operation;
    const [line, ...words] = describeTransfer(failed, false);
    expect(line).toMatch(/ETH out FAILED$/);
    expect(words.map((each) => each.trim()).join(' ')).toMatch(
      /^REJECTED_BY_OPERATORS: The operators .* rejected this withdrawal/,
    );
  });

  it('says why it is delayed', () => {
    const delayed = { ...operation, status: 'DELAYED', delayedReason: 'DESTINATION_REVERTED' } as Operation;
    expect(describeTransfer(delayed, false).at(-1)?.trim()).toBe('DESTINATION_REVERTED');
  });

  it('fits in 80 columns', () => {
    const long = { ...operation, amount: 99_123_456_789_012_345_678n, failureReason: 'SIGNATURE_REVOKED' } as Operation;
    for (const status of ['PROCESSING_DESTINATION', 'FAILED'] as const)
      for (const line of describeTransfer({ ...long, status }, true)) expect(line.length).toBeLessThanOrEqual(80);
  });
});

it('names the active relayer with its process', () => {
  const line = describeHolder({ holder: 'relayer-2:4711:0e0b8a5c' }, operation.updatedAt);
  expect(line).toMatch(/^\d\d:\d\d:\d\d[+-]\d\d:\d\d relayer-2 \(process 4711\) is active$/);
});
