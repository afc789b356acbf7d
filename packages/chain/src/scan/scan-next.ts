import type { Hex, PublicClient } from 'viem';
import { InconsistentBlockError, ReorgTooDeepError } from '../rpc/chain-error.js';
import { readVerifiedBlock } from '../blocks/read-verified-block.js';
import type { VerifiedBlock, Watch } from '../blocks/verified-block.js';

/** How many blocks back a common ancestor is looked for. */
const MAX_REORG_DEPTH = 1_024;
/** Blocks asked for at the same time. */
const AT_ONCE = 20;

/** Where reading stands. `lastHash`: of block `nextBlock` - 1, null when nothing was read yet. */
export interface ScanPosition {
  readonly nextBlock: bigint;
  readonly lastHash: Hex | null;
}

/** What a look at the chain gave. */
export type ScanResult =
  | { readonly kind: 'idle'; readonly head: bigint }
  | { readonly kind: 'extend'; readonly head: bigint; readonly blocks: readonly VerifiedBlock[] }
  | { readonly kind: 'reorg'; readonly head: bigint; readonly ancestor: bigint };

/** What `scanNext` needs. `recentHashes` tells the hash of a block read before, or null. */
export interface ScanInput {
  readonly client: PublicClient;
  readonly cursor: ScanPosition;
  readonly recentHashes: (number: bigint) => Promise<Hex | null>;
  readonly watch: Watch;
  readonly maxBlocks: number;
}

/**
 * Reads on from the cursor. Every block must be the child of the one before it; the first one the child of the last
 * block that was stored. Where it is not, the chain was reorganised, and the newest block both have is looked for. A node
 * that merely lags behind is waited for.
 *
 * @throws InconsistentBlockError, ReorgTooDeepError
 */
export async function scanNext(input: ScanInput): Promise<ScanResult> {
  const { client, cursor, watch, maxBlocks } = input;
  const head = await client.getBlockNumber({ cacheTime: 0 });
  if (head < cursor.nextBlock)
    return (await lastIsCanonical(input, head)) ? { kind: 'idle', head } : reorg(input, head);
  const last = minimum(head, cursor.nextBlock + BigInt(maxBlocks) - 1n);
  const blocks = await readRange(client, cursor.nextBlock, last, watch);
  const [first] = blocks;
  if (first === undefined) return { kind: 'idle', head };
  if (cursor.lastHash !== null && first.parentHash !== cursor.lastHash) return reorg(input, head);
  return { kind: 'extend', head, blocks };
}

/** A lower head: does the node lag, or has it other blocks at heights that were read? */
async function lastIsCanonical({ client, cursor, recentHashes }: ScanInput, head: bigint): Promise<boolean> {
  const height = minimum(head, cursor.nextBlock - 1n);
  const ours = await recentHashes(height);
  if (ours === null) return true;
  const theirs = await client.getBlock({ blockNumber: height });
  return theirs.hash === ours;
}

async function reorg({ client, cursor, recentHashes }: ScanInput, head: bigint): Promise<ScanResult> {
  let height = minimum(head, cursor.nextBlock - 1n);
  for (let depth = 0; depth < MAX_REORG_DEPTH; depth++, height--) {
    const ours = await recentHashes(height);
    if (ours === null) break;
    const theirs = await client.getBlock({ blockNumber: height });
    if (theirs.hash === ours) return { kind: 'reorg', head, ancestor: height };
  }
  throw new ReorgTooDeepError(MAX_REORG_DEPTH);
}

/** The blocks from `from` to `to` that the node has, each the child of the one before. */
async function readRange(client: PublicClient, from: bigint, to: bigint, watch: Watch): Promise<VerifiedBlock[]> {
  const blocks: VerifiedBlock[] = [];
  for (let start = from; start <= to; start += BigInt(AT_ONCE)) {
    const count = Number(minimum(to - start + 1n, BigInt(AT_ONCE)));
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

function minimum(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
