import { describe, expect, it } from '@jest/globals';
import { formatAmount, formatUnits, formatWei, groupDigits, shorten } from './amounts.js';

describe('amounts', () => {
  it.each([
    ['USDC', '1234500000', '1,234.5'],
    ['USDC', '-1', '-0.000001'],
    ['ETH', '1', '0.000000000000000001'],
    ['XCN', '123456789012345678901234567890', '123,456,789,012.34567890123456789'],
    ['ETH', '0', '0'],
  ] as const)('of %s: %s atomic units are %s', (asset, atomic, text) => {
    expect(formatAmount(asset, atomic)).toBe(text);
  });

  it('stay exact above the precision of a number', () => {
    expect(formatUnits(9_007_199_254_740_993n, 0)).toBe('9007199254740993');
  });

  it.each([
    ['0', '0 ETH'],
    ['2500000000', '2.5 gwei'],
    ['1500000000000000000', '1.5 ETH'],
  ])('of %s wei are %s', (wei, text) => {
    expect(formatWei(wei, 'ethereum')).toBe(text);
  });

  it('group only the whole part', () => {
    expect(groupDigits('1234567.1234567')).toBe('1,234,567.1234567');
    expect(groupDigits('-999')).toBe('-999');
  });
});

describe('shorten', () => {
  it('keeps both ends, and leaves a short text unchanged', () => {
    expect(shorten(`0x${'ab'.repeat(20)}`)).toBe('0xababab…abab');
    expect(shorten('0x1234')).toBe('0x1234');
  });
});
