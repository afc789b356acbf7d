import type { AddressBook } from '../../deploy/address-book.js';
import { directionAtEnds, type Direction } from '../direction.js';
import { endsOf } from '../ends-of.js';
import type { OperatorCall } from '../operator-call.js';

/** Stops a direction at both ends. What is paused already stays so. */
export function pause(book: AddressBook, direction: Direction): OperatorCall[] {
  const { lock, mint } = endsOf(book);
  const at = directionAtEnds(direction);
  const call = { functionName: 'pause', office: 'guardian' } as const;
  return [
    { ...lock, ...call, args: [at.lock.inbound, at.lock.outbound] },
    { ...mint, ...call, args: [at.mint.inbound, at.mint.outbound] },
  ];
}
