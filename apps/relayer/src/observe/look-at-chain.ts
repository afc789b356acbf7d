import { scanNext, type ScanResult } from '@causeway/chain';
import type { Store } from '@causeway/store';
import type { Address } from 'viem';
import type { BridgeChain } from '../world/bridge-chain.js';

/** Blocks read in one run: bounds the size of a database transaction while catching up. */
const MAX_BLOCKS = 200;

/**
 * What the nodes of a chain show beyond what is stored. Nothing is written.
 *
 * @returns null when the chain was never read.
 * @throws as `scanNext` does.
 */
export async function lookAtChain(store: Store, chain: BridgeChain, relayer: Address): Promise<ScanResult | null> {
  const { chainId, connection, bridge, side } = chain;
  const cursor = await store.scan.cursor(chainId);
  if (cursor === null) return null;
  const { nextBlock } = cursor;
  const last = await store.scan.block(chainId, nextBlock - 1n);
  return scanNext({
    client: connection.client,
    cursor: { nextBlock, lastHash: last?.hash ?? null },
    recentHashes: async (number) => (await store.scan.block(chainId, number))?.hash ?? null,
    watch: { contracts: [bridge], receivers: side === 'partner' ? [relayer] : [] },
    maxBlocks: MAX_BLOCKS,
  });
}
