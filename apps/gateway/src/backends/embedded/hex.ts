import type { Hex } from 'viem';

/** Bytes as 0x-hex. viem's `bytesToHex` converts them one by one, which is slow for large transactions and logs. */
export function hex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

/** A quantity as the Ethereum JSON-RPC writes it: 0x-hex without leading zeros. */
export function quantity(value: bigint | number): Hex {
  return `0x${value.toString(16)}`;
}
