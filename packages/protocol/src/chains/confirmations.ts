/**
 * Confirmations of a block: the block itself counts as the first, and the number is never negative, even when a node's
 * head falls back behind it.
 */
export function confirmations(headBlock: bigint, includingBlock: bigint): number {
  const count = headBlock - includingBlock + 1n;
  return count < 0n ? 0 : toSafeInteger(count);
}

function toSafeInteger(count: bigint): number {
  // A block height, far below 2^53.
  return globalThis.Number(count);
}
