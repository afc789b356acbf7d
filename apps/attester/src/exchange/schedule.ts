import type { Side, Until } from '@causeway/verifier';

/** When an item is judged again. */
export type Due = { readonly atMs: number } | { readonly atMs: number; readonly chain: Side; readonly block: bigint };

const SHORTEST_MS = 500;
const LONGEST_MS = 600_000;
/** How often to check whether a block is final. */
const BLOCK_PAUSE_MS = 1_000;
/** A retry can succeed: an archive node may be added, or the cause, such as too little collateral, may clear. */
const PAUSE_MS = 60_000;

/** When to rejudge an item with a NOT_YET verdict. */
export function planNotYet(until: Until, nowMs: number): Due {
  if (until === 'STATE_GONE') return planRefused(nowMs);
  if ('block' in until) return { atMs: nowMs + BLOCK_PAUSE_MS, ...until };
  const atMs = Math.min(Math.max(until.time * 1_000, nowMs + SHORTEST_MS), nowMs + LONGEST_MS);
  return { atMs };
}

/** When to rejudge a refused item. */
export function planRefused(nowMs: number): Due {
  return { atMs: nowMs + PAUSE_MS };
}

/**
 * Whether an item is due.
 *
 * @param finalBlocks the newest final block of each chain; null when it is not known.
 */
export function isDue(due: Due | null, nowMs: number, finalBlocks: Readonly<Record<Side, bigint | null>>): boolean {
  if (due === null || due.atMs > nowMs) return false;
  if (!('block' in due)) return true;
  const final = finalBlocks[due.chain];
  return final !== null && final >= due.block;
}
