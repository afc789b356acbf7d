import type { Address } from 'viem';
import type { AddressBook } from '../../deploy/address-book.js';
import { endsOf } from '../ends-of.js';
import type { OperatorCall } from '../operator-call.js';
import { tokenOf } from '../token-of.js';

/** Burns bridged tokens that a former relayer wallet holds: after a rotation, what was handed in there. */
export function retireOf(book: AddressBook, wallet: Address, asset: 'ETH' | 'USDC', amount: bigint): OperatorCall[] {
  const args = [wallet, tokenOf(book, 'partner', asset), amount];
  return [{ ...endsOf(book).mint, functionName: 'retireOf', args, office: 'relayer' }];
}
