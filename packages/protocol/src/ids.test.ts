import { describe, expect, it } from '@jest/globals';
import { concatHex, keccak256, pad, toHex } from 'viem';
import { operationId } from './ids.js';

const LOCK = '0x5fbdb2315678afecb367f032d93f642f64180aa3';

describe('operationId', () => {
  it('is the hash of three words, packed by hand', () => {
    const words = concatHex([toHex(31_337, { size: 32 }), pad(LOCK, { size: 32 }), toHex(7n, { size: 32 })]);
    expect(operationId(31_337, LOCK, 7n)).toBe(keccak256(words));
  });

  it('equals the hash that ethers computes for abi.encode(uint256 1, address, uint256 7)', () => {
    const expected = '0x9fda0f6842c4c7e4a3872c2dd7664578d94d9524346ed1d64b1c0c16f0cc2a10';
    expect(operationId(1, LOCK, 7n)).toBe(expected);
    expect(operationId(1, '0x5FbDB2315678afecb367f032d93F642f64180aa3', 7n)).toBe(expected);
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
