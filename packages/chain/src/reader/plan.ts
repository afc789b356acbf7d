/** The next blocks to read. Bounds are inclusive. */
export type ReadPlan =
  /** No new block. Compare the block at this height with the stored one, because a reorg may have replaced it. */
  | { readonly kind: 'compare'; readonly height: bigint }
  /** Near the head: every block, verified in full. */
  | { readonly kind: 'blocks'; readonly from: bigint; readonly to: bigint }
  /** Far behind: only the logs of a range of final blocks. */
  | { readonly kind: 'range'; readonly from: bigint; readonly to: bigint };

/** The input of a plan. */
export interface ReadPlanInput {
  /** Newest block that a quorum has. */
  readonly head: bigint;
  /** First unread block. */
  readonly nextBlock: bigint;
  readonly confirmations: number;
  /** Blocks of one step near the head, at least 1; `rangeBlocks`: blocks of one range, at least 1. */
  readonly headBlocks: number;
  readonly rangeBlocks: number;
  /** Below this block every block is read, because the nodes lack the state, or refuse the logs, that ranges need. */
  readonly blocksUntil: bigint;
}

/** Ranges are read if more final blocks than this are unread. */
const CATCH_UP_MARGIN = 64n;
/** Near the head a range is at most half of the rest, but at least this: a reorg search compares range ends. */
const LEAST_LAST_RANGE = 64n;

/** Decides what to read next. Pure. Never skips a block, and never plans past the head. */
export function planReading(input: ReadPlanInput): ReadPlan {
  const { head, nextBlock: from, confirmations, headBlocks, rangeBlocks, blocksUntil } = input;
  // Lagging nodes only have older blocks, which must match the stored ones.
  if (head < from) return { kind: 'compare', height: head };
  const final = head - BigInt(confirmations) + 1n;
  const waiting = final - from + 1n;
  if (waiting <= CATCH_UP_MARGIN || from < blocksUntil) {
    return { kind: 'blocks', from, to: least(head, from + BigInt(headBlocks) - 1n) };
  }
  const half = waiting / 2n > LEAST_LAST_RANGE ? waiting / 2n : LEAST_LAST_RANGE;
  return { kind: 'range', from, to: least(final, from + least(BigInt(rangeBlocks), half) - 1n) };
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
