import { readHeaderByHash } from '../blocks/header.js';
import { readVerifiedBlocks, type VerifiedBlock } from '../blocks/verified-block.js';
import type { Watch } from '../blocks/watch.js';
import type { AgreedBlock, ChainConnection } from '../nodes/chain-connection.js';
import { InconsistentBlockError } from '../rpc/chain-error.js';
import { inPieces } from '../blocks/pieces.js';

/** The part of a chain connection that the reader uses. */
export type ReaderNodes = Pick<ChainConnection, 'quorum' | 'usable' | 'ask' | 'agree' | 'agreedHead' | 'agreedBlock'>;

/** Blocks requested concurrently for a proof. */
const CONCURRENCY = 20;
/** Headers requested concurrently. */
const HEADERS = 100;

/** A block with a known hash. */
export interface KnownBlock {
  readonly number: bigint;
  readonly hash: VerifiedBlock['hash'];
}

/** The blocks to prove. Bounds are inclusive. */
interface ProofInput {
  readonly from: bigint;
  readonly to: bigint;
  readonly watch: Watch;
  /** See `readVerifiedBlock`. */
  readonly pieces?: number | null;
}

/**
 * Reads blocks in full from one node after another, until a node returns the quorum's blocks: the blocks are linked,
 * and the last one has the hash that the quorum agrees on. So no node can hide or invent anything in them.
 *
 * @returns the blocks; none if the quorum does not have the last block yet.
 * @throws QuorumError; the error of the last node if no node returns them.
 */
export async function proveBlocks(
  nodes: ReaderNodes,
  { from, to, watch, pieces = null }: ProofInput,
): Promise<readonly VerifiedBlock[]> {
  const agreement = nodes.agreedBlock(to);
  // A rejection is handled below, after the first node has answered.
  agreement.catch(() => undefined);
  return nodes.ask(async (client) => {
    const blocks = await readVerifiedBlocks(client, from, to, watch, { concurrency: CONCURRENCY, pieces });
    const agreed = await agreement;
    if (agreed === null) return [];
    assertEndsWith(blocks, agreed);
    return blocks;
  });
}

/**
 * Reads headers of blocks by their hashes, and checks the parent links between neighbours.
 *
 * @throws the error of the last node if no node has them.
 */
export async function readHeaders(
  nodes: Pick<ReaderNodes, 'ask'>,
  blocks: readonly KnownBlock[],
): Promise<readonly AgreedBlock[]> {
  if (blocks.length === 0) return [];
  const headers = await nodes.ask((client) =>
    inPieces(
      blocks,
      async ({ number, hash }) => {
        const header = await readHeaderByHash(client, number, hash);
        if (header === null) throw new InconsistentBlockError(number, `the node does not have ${hash}`);
        return { number, hash, parentHash: header.parentHash, timestampSeconds: BigInt(header.timestamp) };
      },
      HEADERS,
    ),
  );
  assertLinked(headers);
  return headers;
}

/**
 * Checks the parent links between neighbours.
 *
 * @throws InconsistentBlockError
 */
function assertLinked(blocks: readonly Omit<AgreedBlock, 'timestampSeconds'>[]): void {
  for (const [index, { number, hash }] of blocks.entries()) {
    const next = blocks[index + 1];
    if (next === undefined || next.number !== number + 1n || next.parentHash === hash) continue;
    throw new InconsistentBlockError(next.number, `its parent is ${next.parentHash}, but block ${number} is ${hash}`);
  }
}

function assertEndsWith(blocks: readonly VerifiedBlock[], { number, hash }: AgreedBlock): void {
  const last = blocks.at(-1);
  if (last?.hash === hash) return;
  const found = last === undefined ? 'no block' : `block ${last.number} with the hash ${last.hash}`;
  throw new InconsistentBlockError(number, `the quorum has the hash ${hash}, but a node ends with ${found}`);
}
