import { getAddress, keccak256, slice, stringToHex, type Address } from 'viem';

/** An address that nothing was ever sent to, one for each name and target. */
export function recipientOf(name: string, salt: string): Address {
  return getAddress(slice(keccak256(stringToHex(`${name} ${salt}`)), 12));
}
