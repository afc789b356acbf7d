import { describe, expect, it } from '@jest/globals';
import { concatHex, keccak256, pad, stringToHex, toHex } from 'viem';
import { computeRefundId } from './refunds.js';

const TX = `0x${'ab'.repeat(32)}` as const;
const place = { chainId: 8_901, txHash: TX, asset: 'XCN', callIndex: 3 } as const;

describe('computeRefundId', () => {
  it('is the hash of the words of abi.encode, packed by hand', () => {
    const words = concatHex([
      toHex(8_901, { size: 32 }),
      TX,
      toHex(128, { size: 32 }),
      toHex(3, { size: 32 }),
      toHex(3, { size: 32 }),
      pad(stringToHex('XCN'), { size: 32, dir: 'right' }),
    ]);
    expect(computeRefundId(place)).toBe(keccak256(words));
  });

  it('differs by every part of the place', () => {
    const ids = [
      place,
      { ...place, chainId: 327 },
      { ...place, txHash: `0x${'cd'.repeat(32)}` as const },
      { ...place, asset: 'ETH' as const },
      { ...place, callIndex: 0 },
    ].map(computeRefundId);
    expect(new Set(ids).size).toBe(5);
  });
});
