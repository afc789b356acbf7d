import { getToken, type AddressBook } from '@causeway/protocol';
import type { Operation, StoredEvent } from '@causeway/store';

/**
 * Whether an operation has the terms of the event that began it. Only someone who edited the database can have changed
 * them. An intent has no event: its id is the digest of its terms, which the encoding of its delivery checks. Pure.
 */
export function hasTermsOfEvent(
  operation: Operation,
  args: StoredEvent['args'] | undefined,
  book: AddressBook,
): boolean {
  const { kind, asset, amount, fee, outputAmount, sender, recipient, direction } = operation;
  if (kind === 'INTENT') return true;
  const side = direction === 'ETHEREUM_TO_PARTNER' ? 'ethereum' : 'partner';
  return (
    args?.['token'] === getToken(book, side, asset).toLowerCase() &&
    args['sender'] === sender &&
    (args['recipient'] ?? args['destination']) === recipient &&
    args['amount'] === `${amount}` &&
    (args['fee'] ?? '0') === `${fee}` &&
    outputAmount === amount - fee
  );
}
