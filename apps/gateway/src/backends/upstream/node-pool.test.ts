import { expect, it } from '@jest/globals';
import { orderNodes, type NodeCandidate } from './node-pool.js';

const node = (head: number | null, change: Partial<NodeCandidate> = {}): NodeCandidate => ({
  head,
  syncing: false,
  failing: false,
  latencyMs: 10,
  ...change,
});

it.each<[string, NodeCandidate[], number | null, number[]]>([
  ['none', [], null, []],
  ['none if no node can be used', [node(null), node(5, { syncing: true })], 0, []],
  ['the highest first', [node(9), node(10)], null, [1, 0]],
  ['the fastest of the highest', [node(10, { latencyMs: 9 }), node(10, { latencyMs: 8 })], null, [1, 0]],
  ['the one in use, a little behind', [node(10), node(9)], 1, [1, 0]],
  ['not too far behind', [node(10), node(6)], 1, [0]],
  ['just near enough', [node(10), node(7)], 1, [1, 0]],
  ['the failing one last', [node(10, { failing: true }), node(9)], 0, [1, 0]],
  ['a failing one rather than none', [node(10, { failing: true })], 0, [0]],
  ['a syncing node does not count as the best', [node(5), node(100, { syncing: true })], null, [0]],
])('%s', (_, nodes, current, order) => {
  expect(orderNodes(nodes, current, 3)).toEqual(order);
});
