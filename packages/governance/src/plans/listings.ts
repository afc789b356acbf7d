import {
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  parseAbi,
  zeroAddress,
  type Address,
  type PublicClient,
} from 'viem';
import type { Asset } from '@causeway/contracts/assets';
import { getToken, type AddressBook } from '@causeway/contracts/address-book';
import type { ChainName } from '@causeway/contracts/deploy';
import {
  namedContracts,
  planChange,
  planEach,
  PlanRefusedError,
  getViewParameters,
  type AdminCall,
  type Clients,
  type Effect,
  type PlannedCalls,
} from '../calls/calls.js';
import { lowerFeeCeiling } from './fees.js';

/** Functions that reveal a bridge's token, or a token that calls its recipients. */
const TELLTALES = parseAbi([
  'function bridge() view returns (address)',
  'function defaultOperators() view returns (address[])',
]);

/** The open directions of an asset in one contract. */
interface Listing {
  /** Whether operations may begin there: deposits on Ethereum, withdrawals on the partner chain. */
  readonly mayBegin: boolean;
  /** Whether operations may be delivered there: releases on Ethereum, mints on the partner chain. */
  readonly mayDeliver: boolean;
}

/**
 * The listing of an asset that winds down: no deposits, while deposits in flight are minted, and holders withdraw and
 * are paid.
 */
const WOUND_DOWN: Readonly<Record<ChainName, Listing>> = {
  ethereum: { mayBegin: false, mayDeliver: true },
  partner: { mayBegin: true, mayDeliver: true },
};

/**
 * Opens or closes the directions of an asset in the contracts for which a node was given. Does not change collateral or
 * credits.
 *
 * @throws PlanRefusedError when a direction would open for another bridge's token, or for a token that calls its
 * recipients.
 */
export async function setListing(
  book: AddressBook,
  { asset, ...listing }: Listing & { readonly asset: Asset },
  clients: Clients,
): Promise<PlannedCalls> {
  if (listing.mayBegin || listing.mayDeliver) {
    for (const { contract, client } of await namedContracts(book, clients)) {
      await expectListable(client, book, getToken(book, contract.chain, asset));
    }
  }
  return setListings(book, asset, { ethereum: listing, partner: listing }, clients);
}

/**
 * Ends the deposits of an asset, while every holder can withdraw.
 *
 * @param releaseCost the highest fee of later withdrawals, in atomic units; null keeps the fees.
 */
export async function windDown(
  book: AddressBook,
  { asset, releaseCost }: { readonly asset: Asset; readonly releaseCost: bigint | null },
  clients: Clients,
): Promise<PlannedCalls> {
  const listed = await setListings(book, asset, WOUND_DOWN, clients);
  if (releaseCost === null) return listed;
  const lowered = await lowerFeeCeiling(book, asset, releaseCost, clients);
  return { calls: [...listed.calls, ...lowered.calls], changes: [...listed.changes, ...lowered.changes] };
}

/** Checks what a token's functions reveal. A token that hides it can only be found by reading its code. */
async function expectListable(client: PublicClient, book: AddressBook, token: Address): Promise<void> {
  if (token === zeroAddress) return;
  if ((await tryRead(client, token, 'defaultOperators')) !== undefined) {
    throw new PlanRefusedError(`The token ${token} calls its recipients (ERC-777), so it must not be listed`);
  }
  const bridge = await tryRead(client, token, 'bridge');
  if (typeof bridge !== 'string' || bridge.toLowerCase() === book.partner.bridgeMint) return;
  throw new PlanRefusedError(`The token ${token} belongs to another bridge, ${bridge}, so it must not be listed`);
}

/** Returns undefined when the token has no such function. */
async function tryRead(
  client: PublicClient,
  address: Address,
  functionName: 'bridge' | 'defaultOperators',
): Promise<unknown> {
  try {
    return await client.readContract({ address, abi: TELLTALES, functionName });
  } catch (error) {
    const isAbsent = (cause: unknown) =>
      cause instanceof ContractFunctionRevertedError || cause instanceof ContractFunctionZeroDataError;
    if (error instanceof BaseError && error.walk(isAbsent) !== null) return undefined;
    throw error;
  }
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
