import type { Hex, PublicClient } from 'viem';
import { readHeader } from './blocks/header.js';
import { readVerifiedBlocks, type VerifiedBlock, type Watch } from './blocks/verified-block.js';
import { askNode, InconsistentBlockError, ReorgTooDeepError } from './rpc/chain-error.js';

/** Search depth for a common ancestor, in blocks. */
const MAX_REORG_DEPTH = 1_024;

/** `lastHash`: hash of block `nextBlock` - 1, null when nothing was read yet. */
interface ScanPosition {
  readonly nextBlock: bigint;
  readonly lastHash: Hex | null;
}

/** The outcome of a scan. `ancestor`: the newest block that the node and the store have in common. */
export type ScanResult =
  | { readonly kind: 'idle'; readonly head: bigint }
  | { readonly kind: 'extend'; readonly head: bigint; readonly blocks: readonly VerifiedBlock[] }
  | { readonly kind: 'reorg'; readonly head: bigint; readonly ancestor: bigint };

/** `recentHashes` returns the stored hash of a block, or null. */
interface ScanInput {
  readonly client: PublicClient;
  readonly cursor: ScanPosition;
  readonly recentHashes: (number: bigint) => Promise<Hex | null>;
  readonly watch: Watch;
  readonly maxBlocks: number;
}

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

/**
 * Continues reading at the cursor. Each block must be the child of the previous one, and the first one the child of the
 * last stored block. Otherwise the chain was reorganised and the common ancestor is searched. A node that only lags is
 * reported as `idle`.
 *
 * @throws InconsistentBlockError, ReorgTooDeepError, NodeUnavailableError, and the errors of `readVerifiedBlock`.
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
    // Two nodes behind one connection follow different branches: retry instead of rolling back blocks that may be
    // valid.
    throw new InconsistentBlockError(
      first.number,
      `its parent is ${first.parentHash}, but block ${last} is ${cursor.lastHash}`,
    );
  }
  return { kind: 'reorg', head, ancestor: await ancestorBelow(input, last) };
}

/** Decides the next request. Pure. Never reads past the head, nor more than `maxBlocks` blocks (at least 1). */
export function planScan({ head, nextBlock, maxBlocks }: ScanPlanInput): ScanPlan {
  if (!Number.isInteger(maxBlocks) || maxBlocks < 1) throw new RangeError('maxBlocks must be 1 or more');
  // A lagging node only has older blocks. Those must match the stored ones.
  if (head < nextBlock) return { kind: 'compare', height: head };
  const furthest = nextBlock + BigInt(maxBlocks) - 1n;
  return { kind: 'read', from: nextBlock, to: head < furthest ? head : furthest };
}

/** Finds the newest block below `height` that the node has with the stored hash. */
async function ancestorBelow(input: ScanInput, height: bigint): Promise<bigint> {
  for (let depth = 1; depth <= MAX_REORG_DEPTH; depth++) {
    const candidate = height - BigInt(depth);
    const comparison = candidate < 0n ? 'unread' : await compare(input, candidate);
    if (comparison === 'same') return candidate;
    if (comparison === 'unread') throw new ReorgTooDeepError(depth);
  }
  throw new ReorgTooDeepError(MAX_REORG_DEPTH);
}

/** Compares the node's block with the stored one. The header is verified against its hash. */
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
