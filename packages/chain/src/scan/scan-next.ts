import type { Hex, PublicClient } from 'viem';
import { readHeader } from '../blocks/read-header.js';
import { readVerifiedBlocks } from '../blocks/read-verified-blocks.js';
import type { VerifiedBlock, Watch } from '../blocks/verified-block.js';
import { askNode } from '../rpc/ask-node.js';
import { InconsistentBlockError, ReorgTooDeepError } from '../rpc/chain-error.js';
import { planScan } from './plan-scan.js';

/** How many blocks back a common ancestor is looked for. */
const MAX_REORG_DEPTH = 1_024;

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
 * @throws InconsistentBlockError, ReorgTooDeepError, NodeUnavailableError, and whatever `readVerifiedBlock` throws.
 */
export async function scanNext(input: ScanInput): Promise<ScanResult> {
  const { client, cursor, watch, maxBlocks } = input;
  const head = await askNode(() => client.getBlockNumber({ cacheTime: 0 }));
  const plan = planScan({ head, nextBlock: cursor.nextBlock, maxBlocks });
  if (plan.kind === 'compare') {
    const comparison = await compare(input, plan.height);
    return comparison === 'differs'
      ? { kind: 'reorg', head, ancestor: await ancestorBelow(input, plan.height) }
      : { kind: 'idle', head };
  }
  const blocks = await readVerifiedBlocks(client, plan.from, plan.to, watch);
  const [first] = blocks;
  if (first === undefined) return { kind: 'idle', head };
  if (cursor.lastHash === null || first.parentHash === cursor.lastHash) return { kind: 'extend', head, blocks };
  const last = cursor.nextBlock - 1n;
  if ((await compare(input, last)) === 'same') {
    // Two nodes behind one connection, on two branches: ask again rather than undo what may stand.
    throw new InconsistentBlockError(
      first.number,
      `its parent is ${first.parentHash}, but block ${last} is ${cursor.lastHash}`,
    );
  }
  return { kind: 'reorg', head, ancestor: await ancestorBelow(input, last) };
}

/** The newest block under `height` that the node has with the hash that was stored. */
async function ancestorBelow(input: ScanInput, height: bigint): Promise<bigint> {
  for (let depth = 1; depth <= MAX_REORG_DEPTH; depth++) {
    const candidate = height - BigInt(depth);
    const comparison = candidate < 0n ? 'unread' : await compare(input, candidate);
    if (comparison === 'same') return candidate;
    if (comparison === 'unread') throw new ReorgTooDeepError(depth);
  }
  throw new ReorgTooDeepError(MAX_REORG_DEPTH);
}

/** The block of the node against the stored one. Only a header that gives its hash counts. */
async function compare(
  { client, recentHashes }: ScanInput,
  height: bigint,
): Promise<'same' | 'differs' | 'missing' | 'unread'> {
  const ours = await recentHashes(height);
  if (ours === null) return 'unread';
  const theirs = await readHeader(client, height);
  if (theirs === null) return 'missing';
  return theirs.hash === ours ? 'same' : 'differs';
}
