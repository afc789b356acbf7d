import type { AddressBook } from '../../deploy/address-book.js';
import { endsOf } from '../ends-of.js';
import type { OperatorCall } from '../operator-call.js';
import { tokenOf, type OperatedAsset } from '../token-of.js';

/** Sends the accrued fees of an asset to the treasury. */
export function collectFees(book: AddressBook, asset: OperatedAsset): OperatorCall[] {
  const args = [tokenOf(book, 'ethereum', asset)];
  return [{ ...endsOf(book).lock, functionName: 'collectFees', args, office: 'anyone' }];
}
