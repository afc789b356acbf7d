import { QuorumError } from '@causeway/chain';
import type { BlockRecord, Operation, RetirementEvidence, Store } from '@causeway/store';
import type { BridgeChain, BridgeChains } from '../bridge-chain.js';

/**
 * Checks that a quorum of nodes has the origin's block with all its confirmations. Called before money moves and before
 * every broadcast: after an accepted reorg the origin may be gone, or in a later block. The block's hash commits to its
 * receipts, which the reader has verified.
 *
 * @param chain the origin chain.
 * @throws QuorumError when too few nodes answer or agree.
 */
export async function isOriginFinal(chain: BridgeChain, operation: Operation): Promise<boolean> {
  const { origin } = operation;
  return origin !== null && chain.finality.isFinal(origin, requiredConfirmations(chain, operation));
}

/**
 * The same check for the transfer that a refund pays back. Its operation is FAILED and keeps its first block.
 *
 * @throws QuorumError when too few nodes answer or agree.
 */
export async function isArrivalFinal(
  store: { readonly refunds: Pick<Store['refunds'], 'arrival'> },
  chain: BridgeChain,
  operation: Operation,
): Promise<boolean> {
  const arrival = await store.refunds.arrival(operation.id);
  return arrival !== null && chain.finality.isFinal(arrival, requiredConfirmations(chain, operation));
}

/** An intent carries the API's setting. This relayer never accepts fewer confirmations than its own setting. */
export function requiredConfirmations(
  { confirmations }: Pick<BridgeChain, 'confirmations'>,
  operation: Operation,
): number {
  return Math.max(operation.requiredConfirmations, confirmations);
}

/**
 * Checks that the newest burn and the newest release behind a retirement are final, each by a quorum of its chain.
 * Stored blocks are linked by their hashes, so the older burns and releases are also final.
 *
 * @throws QuorumError
 */
export async function isEvidenceFinal(
  { ethereum, partner }: BridgeChains,
  { burn, release }: RetirementEvidence,
): Promise<boolean> {
  return (
    (await partner.finality.isFinal(burn, partner.confirmations)) &&
    (await ethereum.finality.isFinal(release, ethereum.confirmations))
  );
}

export interface ConfirmedChain {
  readonly chainId: number;
  readonly finality: Pick<BridgeChain['finality'], 'blockAt'>;
}

interface ReadableChain extends Pick<BridgeChain, 'chainId' | 'confirmations'> {
  readonly finality: Pick<BridgeChain['finality'], 'recentHead'>;
}

/**
 * Checks that all final blocks of a chain were read. Until then the chain may hold a delivery that the database does
 * not know: while catching up, and after an old backup was restored.
 *
 * @returns true also when too few nodes answer: the later send then fails with the reason.
 */
export async function isReadToHead(
  { scan }: { readonly scan: Pick<Store['scan'], 'cursor'> },
  { chainId, confirmations, finality }: ReadableChain,
): Promise<boolean> {
  try {
    const [cursor, head] = await Promise.all([scan.cursor(chainId), finality.recentHead()]);
    return cursor !== null && cursor.nextBlock > head - BigInt(confirmations) + 1n;
  } catch (error) {
    if (error instanceof QuorumError) return true;
    throw error;
  }
}

/**
 * Returns the newest final block of a chain as far as it was read; null before the first read. The block may not be
 * stored.
 */
export async function readFinalBlock(
  { scan }: { readonly scan: Pick<Store['scan'], 'latestBlock'> },
  { chainId, confirmations }: Pick<BridgeChain, 'chainId' | 'confirmations'>,
): Promise<bigint | null> {
  const newest = await scan.latestBlock(chainId);
  return newest === null ? null : newest.number - BigInt(confirmations) + 1n;
}

export interface FinalChain extends ConfirmedChain {
  readonly confirmations: number;
  readonly finality: Pick<BridgeChain['finality'], 'blockAt' | 'recentHead' | 'isFinal'>;
}

/**
 * Returns the newest stored block that is final and read, if a quorum of nodes has it. Far behind the head not every
 * block is stored, so this may be an older block.
 *
 * @param atMost the highest acceptable block.
 * @returns null when there is no such block, or the quorum does not confirm it.
 */
export async function confirmedFinalBlock(
  store: { readonly scan: Pick<Store['scan'], 'blockBelow'> },
  { chainId, confirmations, finality }: FinalChain,
  atMost?: bigint,
): Promise<BlockRecord | null> {
  try {
    const final = (await finality.recentHead()) - BigInt(confirmations) + 1n;
    const block = await store.scan.blockBelow(chainId, (atMost !== undefined && atMost < final ? atMost : final) + 1n);
    if (block === null) return null;
    const { number: blockNumber, hash: blockHash } = block;
    return (await finality.isFinal({ blockNumber, blockHash }, confirmations)) ? block : null;
  } catch (error) {
    if (error instanceof QuorumError) return null;
    throw error;
  }
}

/** Whether a quorum of nodes has a block that was read. False when too few nodes answer. */
export async function hasBlock({ finality }: ConfirmedChain, { number, hash }: BlockRecord): Promise<boolean> {
  try {
    return (await finality.blockAt(number))?.hash === hash;
  } catch (error) {
    if (error instanceof QuorumError) return false;
    throw error;
  }
}
