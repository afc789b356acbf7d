import { readFileSync } from 'node:fs';
import { getAddress, isAddress, type Address } from 'viem';

/**
 * Reads the address in a keystore, without its password.
 *
 * @throws Error when the keystore contains no address, which the format allows.
 */
export function readKeystoreAddress(file: string): Address {
  const { address } = JSON.parse(readFileSync(file, 'utf8')) as { readonly address?: unknown };
  const text = typeof address === 'string' ? `0x${address.replace(/^0x/, '')}` : '';
  if (!isAddress(text, { strict: false })) throw new Error(`${file} does not contain its address: fill it in by hand`);
  return getAddress(text);
}
