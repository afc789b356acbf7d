import { keccak256 } from '../hash/keccak256.js';
import type { Log } from './log.js';

/** The 2048-bit bloom filter of logs (Yellow Paper, section 4.4.1): three bits for each address and topic. */
export function logsBloom(logs: readonly Log[]): Uint8Array {
  const bloom = new Uint8Array(256);
  addToBloom(bloom, logs);
  return bloom;
}

/** Adds logs to such a filter. */
export function addToBloom(bloom: Uint8Array, logs: readonly Log[]): void {
  for (const item of distinct(logs.flatMap(({ address, topics }) => [address, ...topics]))) {
    const hash = keccak256(item);
    for (const at of [0, 2, 4]) {
      const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047;
      const byte = 255 - (bit >> 3);
      bloom[byte] = (bloom[byte] ?? 0) | (1 << (bit & 7));
    }
  }
}

/** Most logs of a block come from few contracts, and a hash takes far longer than a look-up. */
function distinct(items: readonly Uint8Array[]): Iterable<Uint8Array> {
  return new Map(items.map((item) => [Buffer.from(item).toString('latin1'), item])).values();
}
