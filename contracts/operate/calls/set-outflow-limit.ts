import type { AddressBook } from '../../deploy/address-book.js';
import { endsOf } from '../ends-of.js';
import type { OperatorCall } from '../operator-call.js';
import { tokenOf, type OperatedAsset } from '../token-of.js';

/** How fast an asset may leave. */
export interface OutflowTerms {
  /** Atomic units that may leave at once: at most 12 significant digits. */
  readonly capacity: bigint;
  /** Seconds in which that refills. */
  readonly windowSeconds: number;
}

/** Sets how fast an asset may leave the contract of a chain. */
export function setOutflowLimit(
  book: AddressBook,
  chain: 'ethereum' | 'partner',
  asset: OperatedAsset,
  { capacity, windowSeconds }: OutflowTerms,
): OperatorCall[] {
  const end = chain === 'ethereum' ? endsOf(book).lock : endsOf(book).mint;
  const args = [tokenOf(book, chain, asset), capacity, windowSeconds];
  return [{ ...end, functionName: 'setOutflowLimit', args, office: 'policyManager' }];
}
