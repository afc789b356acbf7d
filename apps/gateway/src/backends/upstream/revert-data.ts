import { isHex, type Hex } from 'viem';

/**
 * The bytes a contract reverted with, from the `data` of a node's error, or undefined.
 *
 * Nodes put them there plainly (geth, anvil, reth), inside an object (hardhat), or behind the word "Reverted" (parity's heirs).
 */
export function revertData(data: unknown): Hex | undefined {
  if (typeof data === 'string') {
    const hex = data.startsWith('Reverted ') ? data.slice('Reverted '.length) : data;
    return isHex(hex) && hex.length % 2 === 0 ? hex : undefined;
  }
  return typeof data === 'object' && data !== null && 'data' in data && typeof data.data === 'string'
    ? revertData(data.data)
    : undefined;
}
