import type { JournalledTransaction, Store } from '@causeway/store';
import type { BridgeChain } from '../world/bridge-chain.js';
import { findMined } from './find-mined.js';

/**
 * Whether a block that is final used the nonce of a journalled transaction for something that is not in the journal: then
 * what is in the journal can never be mined any more.
 */
export async function isNonceTaken(store: Store, chain: BridgeChain, entry: JournalledTransaction): Promise<boolean> {
  const { client } = chain.connection;
  const head = await client.getBlockNumber({ cacheTime: 0 });
  const finalBlock = head - BigInt(chain.confirmations) + 1n;
  const usedFinally =
    finalBlock > 0n &&
    BigInt(await client.getTransactionCount({ address: entry.sender, blockNumber: finalBlock })) > entry.nonce;
  return usedFinally && (await findMined(store, client, entry)) === null;
}
