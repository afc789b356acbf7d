import { describe, expect, it } from '@jest/globals';
import { concatHex, keccak256, pad, toHex } from 'viem';
import { operationId } from './operation-id.js';

const LOCK = '0x5fbdb2315678afecb367f032d93f642f64180aa3';

describe('operationId', () => {
  it('is the hash of three words, packed by hand', () => {
    const words = concatHex([toHex(31_337, { size: 32 }), pad(LOCK, { size: 32 }), toHex(7n, { size: 32 })]);
    expect(operationId(31_337, LOCK, 7n)).toBe(keccak256(words));
  });

  it('differs by chain, contract and number', () => {
    const ids = [
      operationId(1, LOCK, 0n),
      operationId(327, LOCK, 0n),
      operationId(1, LOCK, 1n),
      operationId(1, `0x${'11'.repeat(20)}`, 0n),
    ];
    expect(new Set(ids).size).toBe(4);
  });
});
