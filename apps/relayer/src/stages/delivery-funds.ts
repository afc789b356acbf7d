import { readDestinationTerms } from '@causeway/chain';
import type { AddressBook, Asset } from '@causeway/protocol';
import type { Store } from '@causeway/store';
import type { Address, PublicClient } from 'viem';
import type { BridgeChain } from '../bridge-chain.js';
import type { RelayerLaneView } from '../wallet/lanes.js';
import { readKeptCoin } from './kept-coin.js';
import { lessInFlight, type DestinationFunds } from './plan-deliveries.js';

const NOTHING = { all: 0n, inFloat: 0n };

/**
 * Reads what a chain can pay, at the block of the lane's view and by a quorum of nodes, less what the pending calls
 * will take.
 */
export async function readFunds(
  { store, book, from }: { readonly store: Store; readonly book: AddressBook; readonly from: Address },
  chain: BridgeChain,
  view: RelayerLaneView,
  assets: readonly Asset[],
): Promise<DestinationFunds> {
  const inFlight = await findInFlight(store, view);
  const wanted = [...new Set([...assets, ...inFlight.map(({ operation }) => operation.asset)])];
  const read = (client: PublicClient) =>
    readDestinationTerms(client, book, chain.side, wanted, { blockNumber: view.head });
  const address = from.toLowerCase() as Address;
  const paysCoin = chain.side === 'partner' && wanted.includes('XCN');
  const [{ paused: isPaused, assets: funds }, kept] = await Promise.all([
    chain.connection.agree(read),
    paysCoin ? readKeptCoin(store, chain, { chainId: chain.chainId, address }, view) : NOTHING,
  ]);
  const spendable = view.spendable > kept.all ? view.spendable - kept.all : 0n;
  return lessInFlight({ side: chain.side, isPaused, assets: funds, spendable }, inFlight);
}

/** The operations of calls that are not mined at the view's block. */
async function findInFlight(store: Store, { unmined }: RelayerLaneView) {
  const paidByWallet = new Set(unmined.flatMap(({ operationIds, value }) => (value > 0n ? operationIds : [])));
  const operations = await store.operations.findByIds(unmined.flatMap(({ operationIds }) => operationIds));
  return operations.map((operation) => ({ operation, isPaidByWallet: paidByWallet.has(operation.id) }));
}
