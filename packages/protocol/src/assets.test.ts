import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { assetInfo, formatAmount, listAssets, parseAmount } from './assets.js';

describe('parseAmount', () => {
  it.each([
    ['ETH', '1', 10n ** 18n],
    ['ETH', '0.000000000000000001', 1n],
    ['USDC', '12.5', 12_500_000n],
    ['USDC', '0', 0n],
    ['XCN', '0.00000001', 10n ** 10n],
    ['XCN', '123456789.12345678', 123_456_789_123_456_780_000_000_000n],
  ] as const)('%s %s', (asset, text, units) => {
    expect(parseAmount(asset, text)).toBe(units);
  });

  const refused = [
    '',
    ' 1',
    '1 ',
    '1e3',
    '1E3',
    '1,000',
    '1_000',
    '-1',
    '+1',
    '.5',
    '1.',
    '01',
    '0x10',
    '1.2.3',
    'NaN',
    'Infinity',
    '١',
    '9'.repeat(80),
  ];
  it.each(refused)('refuses %j', (text) => {
    for (const asset of listAssets()) {
      expect(() => parseAmount(asset, text)).toThrow(
        expect.objectContaining({ code: 'VALIDATION_ERROR', field: 'amount' }),
      );
    }
  });

  it('repeats no more than 40 characters of what it refuses', () => {
    expect(() => parseAmount('ETH', 'x'.repeat(10_000))).toThrow(/not "x{40}"$/);
  });

  it.each([
    ['ETH', '0.0000000000000000001'],
    ['USDC', '1.0000001'],
    ['USDC', '1.0000000'],
    ['XCN', '1.000000001'],
  ] as const)('refuses %s %s: more digits than the asset has', (asset, text) => {
    expect(() => parseAmount(asset, text)).toThrow(/digits/);
  });

  it('reads back exactly what formatAmount wrote, for every amount an asset can have', () => {
    fc.assert(
      fc.property(fc.constantFrom(...listAssets()), fc.bigInt(0n, 2n ** 200n), (asset, granules) => {
        const units = granules * assetInfo(asset).granularity;
        expect(parseAmount(asset, formatAmount(asset, units))).toBe(units);
      }),
    );
  });

  it('reads any accepted text without rounding: adding the digits up again gives the same', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...listAssets()),
        fc.bigInt(0n, 10n ** 30n),
        fc.nat({ max: 10 ** 6 - 1 }),
        (asset, whole, millionths) => {
          const { decimals } = assetInfo(asset);
          const text = `${whole}.${millionths.toString().padStart(6, '0')}`;
          expect(parseAmount(asset, text)).toBe(
            whole * 10n ** BigInt(decimals) + BigInt(millionths) * 10n ** BigInt(decimals - 6),
          );
        },
      ),
    );
  });
});

describe('assetInfo', () => {
  it.each([
    ['ETH', 1n, '0.00001'],
    ['USDC', 1n, '0.01'],
    ['XCN', 10n ** 10n, '0.01'],
  ] as const)('%s comes in steps of %s units, and is dust below %s', (asset, granularity, dust) => {
    expect(assetInfo(asset)).toMatchObject({ granularity, dust: parseAmount(asset, dust) });
  });
});

describe('formatAmount', () => {
  it.each([
    ['ETH', 0n, '0'],
    ['ETH', 1n, '0.000000000000000001'],
    ['ETH', 10n ** 18n, '1'],
    ['USDC', 12_500_000n, '12.5'],
    ['XCN', 400_001_000_000_010_000_000_000n, '400001.00000001'],
    // The output amount of XCN is an ERC-20 transfer and may have all 18 digits.
    ['XCN', 1n, '0.000000000000000001'],
  ] as const)('%s %s is written %s', (asset, units, text) => {
    expect(formatAmount(asset, units)).toBe(text);
  });

  it('never writes an exponent, a sign, a trailing zero or a bare point', () => {
    fc.assert(
      fc.property(fc.constantFrom(...listAssets()), fc.bigInt(0n, 2n ** 256n - 1n), (asset, units) => {
        expect(formatAmount(asset, units)).toMatch(/^(0|[1-9]\d*)(\.\d*[1-9])?$/);
      }),
    );
  });
});

describe('the range of amounts', () => {
  it.each(listAssets())('parseAmount accepts every uint256 amount of %s and nothing above', (asset) => {
    const { granularity } = assetInfo(asset);
    const largest = ((2n ** 256n - 1n) / granularity) * granularity;
    expect(parseAmount(asset, formatAmount(asset, largest))).toBe(largest);
    expect(() => parseAmount(asset, formatAmount(asset, largest + granularity))).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', field: 'amount' }),
    );
  });
});
