import { describe, expect, it } from '@jest/globals';
import type { Hex } from 'viem';
import { chooseIntent } from './bind.js';

const id = (digit: string): Hex => `0x${digit.repeat(64)}`;
const candidate = (digit: string, proposed = false) => ({ id: id(digit), proposed });

describe('chooseIntent', () => {
  it('chooses the only intent', () => {
    expect(chooseIntent([candidate('1')])).toBe(id('1'));
  });

  it('chooses the intent with a proposed origin, among several', () => {
    expect(chooseIntent([candidate('1'), candidate('2', true), candidate('3')])).toBe(id('2'));
  });

  it('chooses the first intent when several propose the same transaction', () => {
    expect(chooseIntent([candidate('1'), candidate('2', true), candidate('3', true)])).toBe(id('2'));
  });

  it('returns null instead of guessing', () => {
    expect(chooseIntent([candidate('1'), candidate('2')])).toBeNull();
    expect(chooseIntent([])).toBeNull();
  });
});
