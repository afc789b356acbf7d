import { zeroAddress, type Address } from 'viem';
import type { AddressBook } from '../deploy/address-book.js';

/** An asset of the bridge. */
export type OperatedAsset = 'ETH' | 'USDC' | 'XCN';

/** The address by which a chain's end of the bridge knows an asset; the native coin is the zero address. */
export function tokenOf(book: AddressBook, chain: 'ethereum' | 'partner', asset: OperatedAsset): Address {
  if (chain === 'ethereum') return asset === 'ETH' ? zeroAddress : book.ethereum.tokens[asset];
  return asset === 'XCN' ? zeroAddress : book.partner.tokens[asset];
}
