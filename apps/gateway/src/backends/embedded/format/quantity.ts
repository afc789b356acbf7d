import type { Hex } from 'viem';

/** A quantity as the Ethereum JSON-RPC writes it: 0x-hex without leading zeros. */
export function quantity(value: bigint | number): Hex {
  return `0x${value.toString(16)}`;
}
