import { hexToBytes, keccak256, type Hex } from 'viem';
import type { RpcHeader } from '../backends/backend.js';

const BLOOM = /^0x[0-9a-fA-F]{512}$/;

/** The bloom filter of a block's logs (Yellow Paper, section 4.3.1): 2,048 bits, three for each address and topic. */
export class Bloom {
  private readonly bytes: Uint8Array | null;
  /** Whether the block has no logs. */
  readonly isEmpty: boolean;

  /** @param field a header's logsBloom; anything else means "there may be any log". */
  constructor(field: unknown) {
    this.bytes = typeof field === 'string' && BLOOM.test(field) ? hexToBytes(field as Hex) : null;
    this.isEmpty = this.bytes?.every((byte) => byte === 0) ?? false;
  }

  /**
   * The bloom filter of a header. Some nodes do not compute blooms and answer zero, so an empty one only counts if the
   * block used no gas.
   */
  static of({ logsBloom, gasUsed }: RpcHeader): Bloom {
    const bloom = new Bloom(logsBloom);
    return bloom.isEmpty && gasUsed !== '0x0' ? new Bloom(null) : bloom;
  }

  /** The bits that an address or topic sets. */
  static bitsOf(term: string): readonly number[] {
    const hash = keccak256(term as Hex, 'bytes');
    return [0, 2, 4].map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047);
  }

  has(bit: number): boolean {
    return this.bytes === null || ((this.bytes[255 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0;
  }
}
