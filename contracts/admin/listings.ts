import type { Asset } from '../cli/amounts.js';
import type { AddressBook } from '../deploy/address-book.js';
import type { ChainName } from '../deploy/chains.js';
import { changeOf, planEach, readsOf, tokenOf, type Clients, type PlannedCalls } from './calls.js';

/** The directions that an asset may take in one contract. */
interface Listing {
  /** Whether operations may begin there: deposits on Ethereum, withdrawals on the partner chain. */
  readonly mayBegin: boolean;
  /** Whether operations may be delivered there: releases on Ethereum, mints on the partner chain. */
  readonly mayDeliver: boolean;
}

/**
 * The listing of an asset that winds down. Deposits end, and everything else goes on: deposits in flight are minted,
 * holders withdraw and are paid.
 */
const WOUND_DOWN: Readonly<Record<ChainName, Listing>> = {
  ethereum: { mayBegin: false, mayDeliver: true },
  partner: { mayBegin: true, mayDeliver: true },
};

/** Sets which directions an asset may take in the contracts whose nodes are named. Collateral and credits stay. */
export async function setListing(
  book: AddressBook,
  { asset, ...listing }: Listing & { readonly asset: Asset },
  clients: Clients,
): Promise<PlannedCalls> {
  return setListings(book, asset, { ethereum: listing, partner: listing }, clients);
}

/** Ends the deposits of an asset, and lets every holder out. */
export async function windDown(book: AddressBook, asset: Asset, clients: Clients): Promise<PlannedCalls> {
  return setListings(book, asset, WOUND_DOWN, clients);
}

async function setListings(
  book: AddressBook,
  asset: Asset,
  listings: Readonly<Record<ChainName, Listing>>,
  clients: Clients,
): Promise<PlannedCalls> {
  const shown = (allowed: boolean) => (allowed ? 'yes' : 'no');
  return planEach(book, clients, async (contract, client) => {
    const { mayBegin, mayDeliver } = listings[contract.chain];
    const token = tokenOf(book, contract.chain, asset);
    const [begins, delivers] = await client.readContract({
      ...readsOf(contract),
      functionName: 'tokenSettings',
      args: [token],
    });
    const isSame = begins === mayBegin && delivers === mayDeliver;
    const args = [token, mayBegin, mayDeliver];
    return {
      calls: isSame ? [] : [{ ...contract, functionName: 'setListing', args, role: 'admin' }],
      changes: [
        `${asset} in ${contract.contract} on ${contract.chain}`,
        changeOf('may begin', shown(begins), shown(mayBegin)),
        changeOf('may be delivered', shown(delivers), shown(mayDeliver)),
      ],
    };
  });
}
