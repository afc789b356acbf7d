import { addressBookSchema, type AddressBook } from '@causeway/contracts/address-book';
import { zeroAddress, type Address } from 'viem';
import { ASSETS, type Asset } from './assets.js';
import type { Side } from './chains.js';

export { addressBookSchema, type AddressBook };

/**
 * The token of an asset on a side. The zero address is the native coin: ETH on Ethereum, XCN on the partner chain.
 */
export function tokenOfAsset(book: AddressBook, side: Side, asset: Asset): Address {
  if (side === 'ethereum') return asset === 'ETH' ? zeroAddress : book.ethereum.tokens[asset];
  return asset === 'XCN' ? zeroAddress : book.partner.tokens[asset];
}

/** The asset of a token on a side; null for a token that the bridge does not know. */
export function assetOfToken(book: AddressBook, side: Side, token: Address): Asset | null {
  const wanted = token.toLowerCase();
  return ASSETS.find((asset) => tokenOfAsset(book, side, asset).toLowerCase() === wanted) ?? null;
}
