import { expect, it } from '@jest/globals';
import { chooseNodes, type NodeStanding } from './choose-nodes.js';

const node = (head: number | null, change: Partial<NodeStanding> = {}): NodeStanding => ({
  head,
  syncing: false,
  distrusted: false,
  latencyMs: 10,
  ...change,
});

it.each<[string, NodeStanding[], number | null, number[]]>([
  ['none', [], null, []],
  ['none that can be used', [node(null), node(5, { syncing: true })], 0, []],
  ['the highest first', [node(9), node(10)], null, [1, 0]],
  ['the quickest of the highest', [node(10, { latencyMs: 9 }), node(10, { latencyMs: 8 })], null, [1, 0]],
  ['the one in use stays, a little behind', [node(10), node(9)], 1, [1, 0]],
  ['not too far behind', [node(10), node(6)], 1, [0]],
  ['just near enough', [node(10), node(7)], 1, [1, 0]],
  ['the distrusted one last', [node(10, { distrusted: true }), node(9)], 0, [1, 0]],
  ['a distrusted one rather than none', [node(10, { distrusted: true })], 0, [0]],
  ['a syncing node does not count as the best', [node(5), node(100, { syncing: true })], null, [0]],
])('%s', (_, nodes, current, order) => {
  expect(chooseNodes(nodes, current, 3)).toEqual(order);
});
