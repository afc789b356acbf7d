import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Fact, Finding } from './finding.js';
import { findAgreedHead, findUsable, judgeBlockTimes, judgeNode, judgeQuorum, type NodeAnswers } from './nodes.js';

const NOW_S = 1_800_000_000n;
const failed: Fact<never> = { ok: false, reason: 'timeout' };
const known = <T>(value: T): Fact<T> => ({ ok: true, value });
const expected = { side: 'ethereum', chainId: 1, quorum: 2, variable: 'ETHEREUM_RPC_URLS', isLocal: false };

const aNode = (name: string, over: Partial<NodeAnswers> = {}, number = 100n): NodeAnswers => ({
  side: 'ethereum',
  name,
  chainId: known(1),
  head: known({ number, timestampSeconds: NOW_S, latencyMs: 5 }),
  ...over,
});
const line = ({ severity, finding }: Finding) => `${severity} ${finding}`;
const [A, B, C] = [aNode('a'), aNode('b'), aNode('c')];

function judge(nodes: readonly NodeAnswers[], over: Partial<typeof expected> & { organisations?: number } = {}) {
  const all = { ...expected, ...over };
  const agreed = findAgreedHead(nodes, all);
  const judged = nodes.map((node) => judgeNode(node, all, agreed));
  return [...judged, judgeQuorum(findUsable(nodes, all).length, nodes, all)].map(line);
}

describe('the nodes of a chain', () => {
  it('are found well', () => {
    expect(judge([A, B, C])).toEqual([
      'ok ethereum a: block 100, 5 ms',
      'ok ethereum b: block 100, 5 ms',
      'ok ethereum c: block 100, 5 ms',
      'ok ethereum: 3 of 3 nodes can be used, and 2 must agree',
    ]);
    expect(judge([A, B, C], { organisations: 2 }).at(-1)).toContain('3 of 3 nodes of 2 organisations can be used');
  });

  it.each<[string, NodeAnswers, RegExp]>([
    ['does not answer', aNode('bad', { head: failed }), /^warning ethereum bad: timeout$/],
    ['names no chain', aNode('bad', { chainId: failed }), /^warning ethereum bad: timeout$/],
    ['is of another chain', aNode('bad', { chainId: known(5) }), /^error ethereum bad serves chain 5 instead of 1/],
    ['lags', aNode('bad', {}, 50n), /^warning ethereum bad is 50 blocks behind the others, at 50/],
  ])('do not count when one %s', (_, node, words) => {
    const findings = judge([A, B, node]);
    expect(findings[2]).toMatch(words);
    expect(findings.at(-1)).toMatch(/^warning ethereum: 2 of 3 nodes can be used, and 2 must agree: no node may fail$/);
    expect(judge([A, node, node], { quorum: 1 }).at(-1)).toMatch(
      /^warning ethereum: 1 of 3.*: a single node is trusted$/,
    );
  });

  it('are too few when fewer than must agree can be used', () => {
    const findings = judge([A, aNode('bad', { head: failed })]);
    expect(findings.at(-1)).toBe('error ethereum: 1 of 2 nodes can be used, and 2 must agree');
  });

  it('are one that is believed in the environment local only', () => {
    expect(judge([A], { quorum: 1 }).at(-1)).toMatch(/^warning/);
    expect(judge([A], { quorum: 1, isLocal: true }).at(-1)).toMatch(/^ok/);
  });

  it('are not misled by one that claims to be far ahead', () => {
    expect(judge([A, B, aNode('liar', {}, 1_000_000n)])).toEqual([
      'ok ethereum a: block 100, 5 ms',
      'ok ethereum b: block 100, 5 ms',
      'warning ethereum liar is 999900 blocks ahead of the others, at 1000000',
      'ok ethereum: 3 of 3 nodes can be used, and 2 must agree',
    ]);
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 9n), fc.nat(2), (claimed, place) => {
        const nodes = [A, B].toSpliced(place, 0, aNode('liar', {}, claimed));
        expect(findUsable(nodes, expected)).toEqual(expect.arrayContaining([A, B]));
      }),
    );
  });
});

describe('the time of the newest blocks', () => {
  const check = (seconds: number, stillAfterSeconds: number | null = 120) =>
    judgeBlockTimes([A], (Number(NOW_S) + seconds) * 1_000, stillAfterSeconds).map(line);

  it.each([0, -14, 119])('may be %i seconds ago', (seconds) => {
    expect(check(seconds)).toEqual([]);
  });

  it('shows a clock behind the chain, and a chain that stands still where it may not', () => {
    expect(check(-20)).toEqual(['error the newest block of ethereum a is 20 s in the future']);
    expect(check(121)).toEqual(['warning the newest block of ethereum a is 121 s old']);
    expect(check(121, null)).toEqual([]);
  });
});
