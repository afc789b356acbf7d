import { describe, expect, it } from '@jest/globals';
import { describeAmount, formatTokenAmount, parseTokenAmount, roundAmount, type Token } from './amount.js';

const address = '0x0000000000000000000000000000000000000000';
const ETH: Token = { token: 'ETH', address, decimals: 18, granularity: '1' };
const XCN: Token = { token: 'XCN', address, decimals: 18, granularity: '10000000000' };
const DAI: Token = { token: 'DAI', address, decimals: 6, granularity: '100' };

describe('an amount', () => {
  it.each<[Token, string | bigint, bigint]>([
    [ETH, '0', 0n],
    [ETH, '0.5', 5n * 10n ** 17n],
    [ETH, '0.000000000000000001', 1n],
    [ETH, '12.50', 125n * 10n ** 17n],
    [ETH, 7n, 7n],
    [XCN, '1.00000001', 100_000_001n * 10n ** 10n],
    // Dust of atomic units is a finding of the check.
    [XCN, 1n, 1n],
    [DAI, '1.2345', 1_234_500n],
    [ETH, 2n ** 256n - 1n, 2n ** 256n - 1n],
  ])('of %j is read from %p', (token, amount, expected) => {
    expect(parseTokenAmount(token, amount)).toBe(expected);
  });

  it.each<[Token, unknown]>([
    [ETH, 1],
    [ETH, undefined],
    [ETH, ''],
    [ETH, ' 1'],
    [ETH, '1e3'],
    [ETH, '-1'],
    [ETH, '+1'],
    [ETH, '1,5'],
    [ETH, '1_000'],
    [ETH, '0x10'],
    [ETH, '01'],
    [ETH, '.5'],
    [ETH, '5.'],
    [ETH, '1.2.3'],
    [ETH, 'NaN'],
    [ETH, '١'],
    [ETH, '0.0000000000000000001'],
    [XCN, '1.000000001'],
    [DAI, '1.23456'],
    [ETH, '9'.repeat(79)],
    [ETH, '9'.repeat(70)],
    [ETH, -1n],
    [ETH, 2n ** 256n],
  ])('of %j is not %p', (token, amount) => {
    expect(() => parseTokenAmount(token, amount as string)).toThrow(
      expect.objectContaining({ name: 'InvalidInputError', field: 'amount' }),
    );
  });

  it.each<[Token, bigint, string, string]>([
    [ETH, 1_499_999_999_999_999_999n, '1.4999 ETH', '1.5 ETH'],
    [ETH, 180_123_456_789_012n, '0.00018012 ETH', '0.00018013 ETH'],
    [ETH, 123_456_789n * 10n ** 15n, '123456 ETH', '123457 ETH'],
    [XCN, 15_000_000_000n, '0.00000001 XCN', '0.00000002 XCN'],
    [DAI, 123_456_789_012n, '123456 DAI', '123457 DAI'],
    [DAI, 1_234_500n, '1.2345 DAI', '1.2345 DAI'],
    [ETH, 1n, '0.000000000000000001 ETH', '0.000000000000000001 ETH'],
    [ETH, 0n, '0 ETH', '0 ETH'],
  ])('of %j is short in a message', (token, amount, down, up) => {
    expect(describeAmount(token, amount, 'down')).toBe(down);
    expect(describeAmount(token, amount, 'up')).toBe(up);
    // A user can enter both.
    for (const rounding of ['down', 'up'] as const)
      expect(roundAmount(token, amount, rounding) % BigInt(token.granularity)).toBe(0n);
  });

  it('is written without trailing zeros', () => {
    expect(formatTokenAmount(XCN, 1_500_000_000_000_000_000n)).toBe('1.5');
    expect(formatTokenAmount(DAI, 0n)).toBe('0');
  });
});
