import { describe, expect, it } from '@jest/globals';
import type { Hex } from 'viem';
import { chooseIntent } from './choose-intent.js';

const id = (digit: string): Hex => `0x${digit.repeat(64)}`;
const candidate = (digit: string, proposed = false) => ({ id: id(digit), proposed });

describe('chooseIntent', () => {
  it('takes the only one', () => {
    expect(chooseIntent([candidate('1')])).toBe(id('1'));
  });

  it('takes the one that was bound, among several', () => {
    expect(chooseIntent([candidate('1'), candidate('2', true), candidate('3')])).toBe(id('2'));
  });

  it('takes the first when several were bound to the same transaction', () => {
    expect(chooseIntent([candidate('1'), candidate('2', true), candidate('3', true)])).toBe(id('2'));
  });

  it('does not guess', () => {
    expect(chooseIntent([candidate('1'), candidate('2')])).toBeNull();
    expect(chooseIntent([])).toBeNull();
  });
});
