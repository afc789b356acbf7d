/** What to ask next. */
export type ScanPlan =
  /** There is something new: read these blocks, both included. */
  | { readonly kind: 'read'; readonly from: bigint; readonly to: bigint }
  /** There is nothing new. Compare the block at this height with the one that was stored: the chain may have changed. */
  | { readonly kind: 'compare'; readonly height: bigint };

/** What decides about it. `head`: the newest block of the node; `nextBlock`: the first one that was not read yet. */
export interface ScanPlanInput {
  readonly head: bigint;
  readonly nextBlock: bigint;
  readonly maxBlocks: number;
}

/** Decides what to ask a node for. Pure. Never reads past the head, nor more than `maxBlocks` (at least 1). */
export function planScan({ head, nextBlock, maxBlocks }: ScanPlanInput): ScanPlan {
  if (!Number.isInteger(maxBlocks) || maxBlocks < 1) throw new RangeError('maxBlocks must be 1 or more');
  // Whoever lags shows only blocks below: those it has must be ours.
  if (head < nextBlock) return { kind: 'compare', height: head };
  const furthest = nextBlock + BigInt(maxBlocks) - 1n;
  return { kind: 'read', from: nextBlock, to: head < furthest ? head : furthest };
}
