import { keccak256 } from 'viem';
import type { Log } from './log.js';

/** The 2048-bit bloom filter of logs (Yellow Paper, section 4.4.1): three bits for each address and topic. */
export function logsBloom(logs: readonly Log[]): Uint8Array {
  const bloom = new Uint8Array(256);
  addToBloom(bloom, logs);
  return bloom;
}

/** Adds logs to such a filter. */
export function addToBloom(bloom: Uint8Array, logs: readonly Log[]): void {
  for (const log of logs) {
    for (const item of [log.address, ...log.topics]) {
      const hash = keccak256(item, 'bytes');
      for (const at of [0, 2, 4]) {
        const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047;
        const byte = 255 - (bit >> 3);
        bloom[byte] = (bloom[byte] ?? 0) | (1 << (bit & 7));
      }
    }
  }
}
