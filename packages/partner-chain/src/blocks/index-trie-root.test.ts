import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bytesToHex, numberToHex, toRlp, type Hex } from 'viem';
import { naiveTrieRoot } from '../../test/flat-state.js';
import { indexTrieRoot } from './index-trie-root.js';

const naiveRoot = (values: readonly Uint8Array[]): Hex =>
  naiveTrieRoot(values.map((value, index) => [toRlp(index === 0 ? '0x' : numberToHex(index)), bytesToHex(value)]));

it('is the root of an empty trie for a block without transactions', () => {
  expect(bytesToHex(indexTrieRoot([]))).toBe('0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421');
});

it('equals that of a naive trie, also with values short enough to be embedded in their parents', () => {
  const value = fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.uint8Array({ minLength: 1, maxLength: 3 }));
  const property = fc.property(fc.array(value, { minLength: 1, maxLength: 40 }), (values) => {
    expect(bytesToHex(indexTrieRoot(values))).toBe(naiveRoot(values));
  });
  fc.assert(property, { numRuns: 300 });
});

it.each([127, 128, 129, 255, 256, 257, 300])('equals that of a naive trie for %d values', (count) => {
  const values = Array.from({ length: count }, (_, index) => new Uint8Array(1 + (index % 50)).fill(index));
  expect(bytesToHex(indexTrieRoot(values))).toBe(naiveRoot(values));
});
