import { hexToBytes, keccak256, type Hex } from 'viem';

/**
 * Whether a logs bloom (Yellow Paper 4.4.3) may contain an address or topic. False is certain: no log of the block is of
 * that address.
 */
export function bloomMayContain(bloom: Hex, value: Hex): boolean {
  const bits = hexToBytes(bloom);
  const hash = keccak256(hexToBytes(value), 'bytes');
  return [0, 2, 4].every((position) => {
    const bit = (((hash[position] ?? 0) << 8) | (hash[position + 1] ?? 0)) & 2047;
    return ((bits[bits.length - 1 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0;
  });
}
