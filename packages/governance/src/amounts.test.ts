import { describe, expect, it } from '@jest/globals';
import { formatWithUnit, formatDuration, formatRate, parseWithUnit, parseDuration, parseRate } from './amounts.js';

describe('amounts', () => {
  it.each([
    ['0.003 ETH', 'ETH', 3_000_000_000_000_000n],
    ['5 USDC', 'USDC', 5_000_000n],
    ['5usdc', 'USDC', 5_000_000n],
    ['0.000001 USDC', 'USDC', 1n],
    ['1000 XCN', 'XCN', 10n ** 21n],
    ['0 ETH', 'ETH', 0n],
  ] as const)('reads %s', (text, asset, atomic) => {
    expect(parseWithUnit(asset, text)).toBe(atomic);
    expect(parseWithUnit(asset, formatWithUnit(asset, atomic))).toBe(atomic);
  });

  it.each([
    ['3000000', 'ETH', /has no unit: write "0.003 ETH"/],
    ['5 USDC', 'ETH', /is an amount of USDC, but the asset is ETH/],
    ['0.0000001 USDC', 'USDC', /has 7 decimals, but USDC has 6/],
    ['-1 ETH', 'ETH', /is not an amount/],
    ['1e3 XCN', 'XCN', /is not an amount/],
    ['1,5 ETH', 'ETH', /is not an amount/],
    ['', 'ETH', /is not an amount/],
  ] as const)('refuses %j for %s', (text, asset, reason) => {
    expect(() => parseWithUnit(asset, text)).toThrow(reason);
  });

  it('reads rates in percent and basis points', () => {
    expect([parseRate('0.25%'), parseRate('25bps'), parseRate('25 bps'), parseRate('0%')]).toEqual([25, 25, 25, 0]);
    expect([parseRate('1.50%'), parseRate('99.99%')]).toEqual([150, 9_999]);
    expect(formatRate(25)).toBe('0.25%');
    for (const text of ['25', '0.25', 'x%', '-1%']) expect(() => parseRate(text)).toThrow(/is not a rate/);
    for (const text of ['0.001%', '2.5bps']) expect(() => parseRate(text)).toThrow(/finer than a basis point/);
    expect(() => parseRate('100%')).toThrow(/above the highest rate/);
  });

  it('reads durations', () => {
    expect(['90s', '30m', '1h', '2d'].map((text) => parseDuration(text))).toEqual([90, 1_800, 3_600, 172_800]);
    expect([90, 1_800, 3_600, 172_800, 0].map((seconds) => formatDuration(seconds))).toEqual([
      '90s',
      '30m',
      '1h',
      '2d',
      '0s',
    ]);
    for (const text of ['3600', '1.5h', 'h']) expect(() => parseDuration(text)).toThrow(/is not a duration/);
  });
});
