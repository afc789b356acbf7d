import type { Store, Wallet } from '@causeway/store';
import type { BridgeChain } from '../bridge-chain.js';
import type { RelayerLaneView } from '../wallet/lanes.js';

/** The native XCN that the wallet keeps for others, in 18-decimal units. */
export interface KeptCoin {
  /** Includes the arrivals in blocks that are not read yet; none of it may be spent. */
  readonly all: bigint;
  /** Owed for refunds whose XCN is already in the float. */
  readonly inFloat: bigint;
}

/** Reads what the wallet keeps for others on the partner chain: its whole balance before the first block was read. */
export async function readKeptCoin(
  store: Store,
  { connection }: BridgeChain,
  wallet: Wallet,
  { balance }: RelayerLaneView,
): Promise<KeptCoin> {
  const newest = await store.scan.latestBlock(wallet.chainId);
  if (newest === null) return { all: balance, inFloat: 0n };
  const at = { address: wallet.address, blockNumber: newest.number };
  const [kept, read] = await Promise.all([
    store.sweeps.keptBack(wallet),
    connection.agree((client) => client.getBalance(at)),
  ]);
  return { all: kept.all + (balance > read ? balance - read : 0n), inFloat: kept.inFloat };
}
