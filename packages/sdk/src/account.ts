import { isAddress, type Address } from 'viem';
import { InvalidInputError } from './errors.js';

/**
 * Parses an address, in lower case or with a correct checksum (EIP-55).
 *
 * @returns the address in lower case.
 * @throws InvalidInputError that names the field.
 */
export function parseAccount(field: string, text: string): Address {
  if (isAddress(text)) return text.toLowerCase() as Address;
  const isInForm = /^0x[\da-f]{40}$/i.test(text);
  throw new InvalidInputError(
    field,
    isInForm ? 'has a wrong checksum (EIP-55): look for a typing error' : 'must be an address: 0x and 40 hex digits',
  );
}
