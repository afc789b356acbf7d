import { describe, expect, it } from '@jest/globals';
import { MOVE } from '../words/move.js';
import { parseAmount } from './amount.js';

const USDC = { asset: 'USDC', decimals: 6, movable: 6 };
const XCN = { asset: 'XCN', decimals: 18, movable: 8 };

describe('an entered amount', () => {
  it.each([
    ['25', '25'],
    [' 25\t', '25'],
    ['\u00a025.50\u00a0', '25.5'],
    ['25 USDC', '25'],
    ['usdc 0.5', '0.5'],
    ['0.5usdc', '0.5'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['007', '7'],
    ['1.500000', '1.5'],
    ['1.50000000000', '1.5'],
  ])('%j is %s', (text, amount) => {
    expect(parseAmount(text, USDC)).toEqual({ state: 'amount', amount });
  });

  it.each(['', '  ', '\n'])('%j is empty', (text) => {
    expect(parseAmount(text, USDC)).toEqual({ state: 'empty' });
  });

  it.each([
    ['abc', 'LETTERS'],
    ['25 ETH', 'LETTERS'],
    ['0x10', 'LETTERS'],
    ['USDC', 'LETTERS'],
    ['٢٥', 'SYMBOLS'],
    ['-1', 'SIGN'],
    ['−1', 'SIGN'],
    ['+1', 'SIGN'],
    ['1e6', 'EXPONENT'],
    ['1E-6', 'EXPONENT'],
    ['1,5', 'COMMA'],
    ['1,000.5', 'COMMA'],
    ['1 000', 'SPACE'],
    ["1'000", 'SPACE'],
    ['1.000.000', 'POINTS'],
    ['$25', 'SYMBOLS'],
    ['.', 'SYMBOLS'],
    ['0', 'ZERO'],
    ['0.000', 'ZERO'],
    ['9'.repeat(61), 'TOO_LONG'],
    ['1.1234567', 'DECIMALS'],
  ] as const)('%j is refused as %s', (text, problem) => {
    expect(parseAmount(text, USDC)).toMatchObject({ state: 'wrong', problem });
    expect(MOVE.amountProblems[problem]('USDC', 6)).toMatch(/\.$/);
  });

  it('names the part that can move of one with too many decimals', () => {
    expect(parseAmount('1.1234567', USDC)).toMatchObject({ problem: 'DECIMALS', remedy: '1.123456' });
    expect(parseAmount('1.123456789', XCN)).toMatchObject({ problem: 'DUST', remedy: '1.12345678' });
    expect(parseAmount('0.000000001', XCN)).toMatchObject({ problem: 'DUST', remedy: null });
  });
});
