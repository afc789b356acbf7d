import { scanNext, type ScanResult } from '@causeway/chain';
import type { Store } from '@causeway/store';
import type { Address } from 'viem';
import type { BridgeChain } from '../bridge-chain.js';

/** Maximum blocks per scan. Bounds the size of a database transaction while catching up. */
const MAX_BLOCKS = 200;

/**
 * Reads the blocks of a chain that are not stored yet. Writes nothing.
 *
 * @returns null when the chain was never read.
 * @throws the errors of `scanNext`.
 */
export async function scanChain(store: Store, chain: BridgeChain, relayer: Address): Promise<ScanResult | null> {
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
