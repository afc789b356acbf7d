import type { Hex } from 'viem';
import { InvalidInputError } from './errors.js';

/**
 * Parses a transaction hash or an operation id.
 *
 * @returns it in lower case.
 * @throws InvalidInputError that names the field.
 */
export function parseHash(field: string, text: string): Hex {
  if (!/^0x[\da-f]{64}$/i.test(text)) throw new InvalidInputError(field, 'must be 0x and 64 hex digits');
  return text.toLowerCase() as Hex;
}
