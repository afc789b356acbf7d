import type { HeadEvent, RpcHeader } from '../backend.js';

/** What became of the known chain. */
export interface Advance {
  /** The canonical headers that are known now, oldest first. */
  readonly chain: readonly RpcHeader[];
  readonly events: readonly HeadEvent[];
  /** Whether the new head could not be linked to the known chain, so that blocks in between were left out. */
  readonly jumped: boolean;
}

/** Headers that are kept, and so the deepest reorg that is told block by block. */
const KEPT = 256;
/** Headers fetched at once on the way back to the known chain. */
const STRIDE = 50;
/** A gap wider than this is jumped. */
const WIDEST_GAP = 1_024;

/**
 * Links a node's new head to the known chain, by walking back until a known block is met, and tells what happened in order.
 *
 * @param chain known canonical headers, oldest first, without gaps.
 * @param fetch a header of the same node by number, or null.
 * @returns null when the node's chain changed during the walk, or it did not know a block: to be tried again.
 */
export async function advanceChain(
  chain: readonly RpcHeader[],
  head: RpcHeader,
  fetch: (number: number) => Promise<RpcHeader | null>,
): Promise<Advance | null> {
  const tip = chain.at(-1);
  if (tip === undefined) return { chain: [head], events: [], jumped: false };
  if (tip.hash === head.hash) return { chain, events: [], jumped: false };
  const lowest = Number(chain[0]?.number);
  const branch = [head];
  let ancestor = positionOf(chain, head.parentHash);
  while (ancestor === -1) {
    const next = Number(branch[0]?.number) - 1;
    if (next < lowest || branch.length > WIDEST_GAP + KEPT || next - Number(tip.number) > WIDEST_GAP) return jump(head);
    const down = Math.min(STRIDE, next - lowest + 1);
    const fetched = await Promise.all(Array.from({ length: down }, (_, step) => fetch(next - step)));
    for (const header of fetched) {
      if (header === null || header.hash !== branch[0]?.parentHash) return null;
      branch.unshift(header);
      ancestor = positionOf(chain, header.parentHash);
      if (ancestor !== -1) break;
    }
  }
  const removed = chain.slice(ancestor + 1).toReversed();
  const events = branch.map((header, index) => ({ header, removed: index === 0 ? removed : [] }));
  return { chain: [...chain.slice(0, ancestor + 1), ...branch].slice(-KEPT), events, jumped: false };
}

function jump(head: RpcHeader): Advance {
  return { chain: [head], events: [{ header: head, removed: [] }], jumped: true };
}

function positionOf(chain: readonly RpcHeader[], hash: string): number {
  return chain.findLastIndex((header) => header.hash === hash);
}
