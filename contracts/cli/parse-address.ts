import { InvalidArgumentError } from 'commander';
import { getAddress, isAddress, type Address } from 'viem';

// Apart from the terminal: commander is not installed where the package is a library.

/**
 * Reads an address from the command line.
 *
 * @throws InvalidArgumentError of commander, which names the option.
 */
export function parseAddress(text: string): Address {
  if (!isAddress(text)) throw new InvalidArgumentError('It must be an address.');
  return getAddress(text);
}
