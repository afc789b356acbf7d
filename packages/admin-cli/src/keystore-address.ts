import { readFileSync } from 'node:fs';
import { getAddress, isAddress, type Address } from 'viem';

/**
 * Reads the address that a keystore names, without its password.
 *
 * @throws Error when it names none, which the format leaves open.
 */
export function readKeystoreAddress(file: string): Address {
  const { address } = JSON.parse(readFileSync(file, 'utf8')) as { readonly address?: unknown };
  const text = typeof address === 'string' ? `0x${address.replace(/^0x/, '')}` : '';
  if (!isAddress(text, { strict: false })) throw new Error(`${file} does not name its address: fill it in by hand`);
  return getAddress(text);
}
