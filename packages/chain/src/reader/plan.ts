/** The next blocks to read. Bounds are inclusive. */
export type ReadPlan =
  /** There is no new block. Compare the block at this height with the stored one: a reorg may have replaced it. */
  | { readonly kind: 'compare'; readonly height: bigint }
  /** Near the head: every block, verified in full. */
  | { readonly kind: 'blocks'; readonly from: bigint; readonly to: bigint }
  /** Far behind: only the logs of a range of final blocks. */
  | { readonly kind: 'range'; readonly from: bigint; readonly to: bigint };

/** The state in which a plan is made. */
export interface ReadPlanInput {
  /** Newest block that a quorum has. */
  readonly head: bigint;
  /** First block that was not read yet. */
  readonly nextBlock: bigint;
  readonly confirmations: number;
  /** Blocks of one step near the head, and of one range: 1 or more. */
  readonly headBlocks: number;
  readonly rangeBlocks: number;
  /** Below this block the nodes have no state, so that ranges cannot be judged: every block is read. */
  readonly blocksUntil: bigint;
}

/** Ranges are read when more blocks than this wait, besides those without their confirmations. */
const CATCH_UP_MARGIN = 64n;
/** Ranges towards the head are at most half of the rest, down to this: a reorg search looks at their ends. */
const LEAST_LAST_RANGE = 64n;

/** Decides what to read next. Pure. Never leaves out a block, and never plans past the head. */
export function planReading(input: ReadPlanInput): ReadPlan {
  const { head, nextBlock: from, confirmations, headBlocks, rangeBlocks, blocksUntil } = input;
  // Nodes that lag only have older blocks. Those must match the stored ones.
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
