/** The next request of a scan. */
type ScanPlan =
  /** There are new blocks: read these, both inclusive. */
  | { readonly kind: 'read'; readonly from: bigint; readonly to: bigint }
  /** There is no new block. Compare the block at this height with the stored one: a reorg may have replaced it. */
  | { readonly kind: 'compare'; readonly height: bigint };

/** `head`: newest block of the node. `nextBlock`: first block that was not read yet. */
interface ScanPlanInput {
  readonly head: bigint;
  readonly nextBlock: bigint;
  readonly maxBlocks: number;
}

/** Decides the next request. Pure. Never reads past the head, nor more than `maxBlocks` blocks (at least 1). */
export function planScan({ head, nextBlock, maxBlocks }: ScanPlanInput): ScanPlan {
  if (!Number.isInteger(maxBlocks) || maxBlocks < 1) throw new RangeError('maxBlocks must be 1 or more');
  // A lagging node only has older blocks. Those must match the stored ones.
  if (head < nextBlock) return { kind: 'compare', height: head };
  const furthest = nextBlock + BigInt(maxBlocks) - 1n;
  return { kind: 'read', from: nextBlock, to: head < furthest ? head : furthest };
}
