import { describe, expect, it } from '@jest/globals';
import { keccak256 } from 'viem';
import { bloomMayContain } from './bloom-may-contain.js';

const address = '0x00000000000000000000000000000000000000c1';

/** Sets the bits straight from the definition: three times eleven bits of the hash. */
function bloomOf(value: `0x${string}`): `0x${string}` {
  const hash = BigInt(keccak256(value));
  let bloom = 0n;
  for (const pair of [0n, 1n, 2n]) bloom |= 1n << ((hash >> (256n - 16n * (pair + 1n))) & 2047n);
  return `0x${bloom.toString(16).padStart(512, '0')}`;
}

describe('bloomMayContain', () => {
  it('finds what was put in', () => {
    expect(bloomMayContain(bloomOf(address), address)).toBe(true);
    expect(bloomMayContain(`0x${'ff'.repeat(256)}`, address)).toBe(true);
  });

  it('is sure of what was not', () => {
    expect(bloomMayContain(`0x${'00'.repeat(256)}`, address)).toBe(false);
    expect(bloomMayContain(bloomOf('0x00000000000000000000000000000000000000c2'), address)).toBe(false);
  });
});
