import type { AddressBook } from '../../deploy/address-book.js';
import { endsOf } from '../ends-of.js';
import type { OperatorCall } from '../operator-call.js';
import { tokenOf } from '../token-of.js';

/** Burns bridged tokens that the relayer wallet holds, without paying anything for them. */
export function retire(book: AddressBook, asset: 'ETH' | 'USDC', amount: bigint): OperatorCall[] {
  const args = [tokenOf(book, 'partner', asset), amount];
  return [{ ...endsOf(book).mint, functionName: 'retire', args, office: 'relayer' }];
}
