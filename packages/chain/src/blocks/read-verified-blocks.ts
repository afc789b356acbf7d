import type { PublicClient } from 'viem';
import { InconsistentBlockError } from '../rpc/chain-error.js';
import { readVerifiedBlock } from './read-verified-block.js';
import type { VerifiedBlock, Watch } from './verified-block.js';

/** Blocks asked for at the same time. */
const AT_ONCE = 20;

/**
 * Reads the blocks from `from` to `to`, both included, each the child of the one before. Ends early where the node has no
 * more.
 *
 * @throws InconsistentBlockError when two of them do not follow each other, and whatever `readVerifiedBlock` throws.
 */
export async function readVerifiedBlocks(
  client: PublicClient,
  from: bigint,
  to: bigint,
  watch: Watch,
  concurrency: number = AT_ONCE,
): Promise<VerifiedBlock[]> {
  if (!Number.isInteger(concurrency) || concurrency < 1) throw new RangeError('concurrency must be 1 or more');
  const blocks: VerifiedBlock[] = [];
  for (let start = from; start <= to; start += BigInt(concurrency)) {
    const count = Math.min(concurrency, Number(to - start + 1n));
    const numbers = Array.from({ length: count }, (_, index) => start + BigInt(index));
    const read = await Promise.all(numbers.map((number) => readVerifiedBlock(client, number, watch)));
    for (const block of read) {
      if (block === null) return blocks;
      const previous = blocks.at(-1);
      if (previous !== undefined && block.parentHash !== previous.hash) {
        throw new InconsistentBlockError(
          block.number,
          `its parent is ${block.parentHash}, but block ${previous.number} is ${previous.hash}`,
        );
      }
      blocks.push(block);
    }
  }
  return blocks;
}
