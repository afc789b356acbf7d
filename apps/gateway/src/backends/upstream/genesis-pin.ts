import type { Hex } from 'viem';

/**
 * Remembers which chain this is, beyond its id: ids are not unique (every private chain with the same configuration has the same one), the hash
 * of block 0 is. What the first node shows counts, unless the hash was configured.
 */
export class GenesisPin {
  private hash: string | null;

  /** @param hash the hash of block 0 when it is known beforehand, or null. */
  constructor(hash: Hex | null) {
    this.hash = hash?.toLowerCase() ?? null;
  }

  /** Whether it is settled which chain is meant. */
  get known(): boolean {
    return this.hash !== null;
  }

  /** Whether a node with this block 0 is on the chain; the first one asked about settles it. */
  accepts(hash: Hex): boolean {
    this.hash ??= hash.toLowerCase();
    return this.hash === hash.toLowerCase();
  }
}
