/** What the choice of a node rests on. */
export interface NodeStanding {
  /** The number of its head, or null when it must not be used. */
  readonly head: number | null;
  readonly syncing: boolean;
  readonly distrusted: boolean;
  readonly latencyMs: number;
}

/**
 * The nodes a call may be made to, by index, the best first.
 *
 * All clients share one node, the first, until it fails or falls behind: a node shows what was written to it at once, its neighbours a moment later.
 * With calls spread over the nodes a client could miss its own transaction, or see the chain go back; that is worth more than the speed.
 *
 * @param current the node that was first so far, or null.
 * @param maxLag a node more than this many blocks behind the best is left out. A node that is syncing is, too.
 */
export function chooseNodes(nodes: readonly NodeStanding[], current: number | null, maxLag: number): number[] {
  const able = nodes.flatMap((node, index) =>
    node.head === null || node.syncing ? [] : [{ ...node, index, head: node.head }],
  );
  const best = Math.max(...able.map(({ head }) => head));
  return able
    .filter(({ head }) => best - head <= maxLag)
    .toSorted(
      (a, b) =>
        Number(a.distrusted) - Number(b.distrusted) ||
        Number(b.index === current) - Number(a.index === current) ||
        b.head - a.head ||
        a.latencyMs - b.latencyMs ||
        a.index - b.index,
    )
    .map(({ index }) => index);
}
