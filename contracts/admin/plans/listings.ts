import type { Asset } from '../../cli/assets.js';
import { getToken, type AddressBook } from '../../deploy/address-book.js';
import type { ChainName } from '../../deploy/chains.js';
import {
  planChange,
  planEach,
  getViewParameters,
  type AdminCall,
  type Clients,
  type Effect,
  type PlannedCalls,
} from '../calls.js';

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
  return planEach(book, clients, async (contract, client) => {
    const { mayBegin, mayDeliver } = listings[contract.chain];
    const token = getToken(book, contract.chain, asset);
    const shown = (begins: boolean, delivers: boolean) => ({
      'may begin': begins ? 'yes' : 'no',
      'may be delivered': delivers ? 'yes' : 'no',
    });
    const effect: Effect = async (reader) => {
      const view = { ...getViewParameters(contract), functionName: 'tokenSettings', args: [token] } as const;
      const [begins, delivers] = await reader.readContract(view);
      return { before: shown(begins, delivers), after: shown(mayBegin, mayDeliver) };
    };
    const args = [token, mayBegin, mayDeliver];
    const call: AdminCall = { ...contract, functionName: 'setListing', args, role: 'admin', effect };
    return planChange(client, call, `${asset} in ${contract.contract} on ${contract.chain}`);
  });
}
