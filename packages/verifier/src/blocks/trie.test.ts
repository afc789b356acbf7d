import { describe, expect, it } from '@jest/globals';
import { indexTrieRoot } from '@causeway/partner-chain';
import fc from 'fast-check';
import { bytesToHex, concatHex, hexToBytes, type Hex } from 'viem';
import { BadProofError, buildIndexTrie, verifyReceiptProof } from './trie.js';

/** From items embedded in their parents to items of several nodes. */
const item = fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 3 }), fc.uint8Array({ minLength: 1, maxLength: 90 }));
const items = fc.array(
  item.map((bytes) => bytesToHex(bytes)),
  { minLength: 1, maxLength: 300 },
);

describe('the trie of a block', () => {
  it('is empty without items', () => {
    expect(buildIndexTrie([]).root).toBe('0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421');
  });

  it('has the root that the partner chain computes', () => {
    fc.assert(
      fc.property(items, (values) => {
        const root = bytesToHex(indexTrieRoot(values.map((value) => hexToBytes(value))));
        expect(buildIndexTrie(values).root).toBe(root);
      }),
      { numRuns: 60 },
    );
  });

  it('proves every item by its path', () => {
    fc.assert(
      fc.property(items, (values) => {
        const { root, findPath } = buildIndexTrie(values);
        for (const [index, value] of values.entries())
          expect(verifyReceiptProof(root, index, findPath(index))).toBe(value);
      }),
      { numRuns: 30 },
    );
  });
});

describe('a path', () => {
  const values = Array.from(
    { length: 200 },
    (_, index): Hex => `0x${'ab'.repeat(40)}${(index % 256).toString(16).padStart(2, '0')}`,
  );
  const { root, findPath } = buildIndexTrie(values);
  const path = findPath(17);

  it.each<readonly [string, () => unknown]>([
    ['another index', () => verifyReceiptProof(root, 18, path)],
    ['an index that the block does not have', () => verifyReceiptProof(root, 200, path)],
    ['another root', () => verifyReceiptProof(`0x${'11'.repeat(32)}`, 17, path)],
    ['no node', () => verifyReceiptProof(root, 17, [])],
    ['a missing node', () => verifyReceiptProof(root, 17, path.slice(0, -1))],
    ['one node more', () => verifyReceiptProof(root, 17, [...path, path[0]!])],
    ['another order', () => verifyReceiptProof(root, 17, path.toReversed())],
    [
      'a changed byte',
      () =>
        verifyReceiptProof(
          root,
          17,
          path.map((node) => concatHex([node, '0x00'])),
        ),
    ],
    ['nonsense', () => verifyReceiptProof(root, 17, ['0x', '0x'])],
  ])('rejects a proof with %s', (_, verify) => {
    expect(verify).toThrow(BadProofError);
  });

  it('has no path for an index that the block does not have', () => {
    expect(() => findPath(200)).toThrow(BadProofError);
  });
});
