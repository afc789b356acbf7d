import type { AddressBook } from '../../deploy/address-book.js';
import { endsOf } from '../ends-of.js';
import type { OperatorCall } from '../operator-call.js';
import { tokenOf, type OperatedAsset } from '../token-of.js';

/** What a withdrawal costs; amounts in atomic units. */
export interface FeePolicyTerms {
  readonly bps: number;
  readonly minFee: bigint;
  readonly minAmount: bigint;
}

/** Sets the fee policy of an asset for withdrawals that begin from now on. */
export function setFeePolicy(book: AddressBook, asset: OperatedAsset, terms: FeePolicyTerms): OperatorCall[] {
  const args = [tokenOf(book, 'partner', asset), terms.bps, terms.minFee, terms.minAmount];
  return [{ ...endsOf(book).mint, functionName: 'setFeePolicy', args, office: 'policyManager' }];
}
