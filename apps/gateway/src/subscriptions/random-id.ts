import { randomBytes } from 'node:crypto';
import type { Hex } from 'viem';

/**
 * The id of a filter or subscription: 128 bits, random but for the highest, so that nobody guesses somebody else's. The highest is set because some
 * clients read ids as numbers and would lose leading zeros.
 */
export function randomId(): Hex {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0] ?? 0) | 0x80;
  return `0x${bytes.toString('hex')}`;
}
