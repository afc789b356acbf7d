import { hexToBytes, keccak256, type Hex } from 'viem';

const BLOOM = /^0x[0-9a-fA-F]{512}$/;

/** The bloom filter of a block's logs (Yellow Paper, section 4.3.1): 2,048 bits, three for each address and topic. */
export class Bloom {
  readonly #bytes: Uint8Array | null;
  /** Whether the block has no logs at all. */
  readonly isEmpty: boolean;

  /** @param field a header's logsBloom; anything else stands for "there may be any log". */
  constructor(field: unknown) {
    this.#bytes = typeof field === 'string' && BLOOM.test(field) ? hexToBytes(field as Hex) : null;
    this.isEmpty = this.#bytes?.every((byte) => byte === 0) ?? false;
  }

  /** The bits an address or topic sets. */
  static bitsOf(term: string): readonly number[] {
    const hash = keccak256(term as Hex, 'bytes');
    return [0, 2, 4].map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047);
  }

  has(bit: number): boolean {
    return this.#bytes === null || ((this.#bytes[255 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0;
  }
}
