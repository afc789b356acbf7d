import type { Hex } from 'viem';
import { ReorgTooDeepError } from '../rpc/chain-error.js';
import type { KnownBlock, ReaderNodes } from './proven-blocks.js';

/** Maximum number of stored blocks to compare in the search for a common ancestor. */
const MAX_REORG_DEPTH = 1_024;

/** The blocks read so far. */
export interface StoredBlocks {
  /** Returns the stored hash of a block; null if the block is not stored. */
  findHash(number: bigint): Promise<Hex | null>;
  /** Returns the newest stored block below a height, or null. */
  below(number: bigint): Promise<KnownBlock | null>;
  /** Returns the number of the next operation that begins on this chain. */
  nextNumber(): Promise<bigint>;
}

/**
 * Compares a stored block with the quorum's block.
 *
 * @returns `unknown` if either side lacks the block.
 * @throws QuorumError
 */
export async function compareBlock(
  nodes: ReaderNodes,
  stored: StoredBlocks,
  number: bigint,
): Promise<'same' | 'differs' | 'unknown'> {
  const ours = await stored.findHash(number);
  if (ours === null) return 'unknown';
  const theirs = await nodes.agreedBlock(number);
  if (theirs === null) return 'unknown';
  return theirs.hash === ours ? 'same' : 'differs';
}

/**
 * Finds the newest stored block below a height that the quorum also has.
 *
 * @throws ReorgTooDeepError, QuorumError
 */
export async function findAncestor(nodes: ReaderNodes, stored: StoredBlocks, height: bigint): Promise<bigint> {
  let block: KnownBlock | null = { number: height, hash: '0x' };
  for (let depth = 1; depth <= MAX_REORG_DEPTH; depth++) {
    block = await stored.below(block.number);
    if (block === null) throw new ReorgTooDeepError(depth);
    const theirs = await nodes.agreedBlock(block.number);
    if (theirs?.hash === block.hash) return block.number;
  }
  throw new ReorgTooDeepError(MAX_REORG_DEPTH);
}
