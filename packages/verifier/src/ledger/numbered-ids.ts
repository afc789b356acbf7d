import { bytesToHex, hexToBytes, keccak256, numberToHex, type Hex } from 'viem';
import type { Domain } from '../digests/typed-data.js';

const FIRST_CAPACITY = 1_024;

/**
 * The ids of a contract's numbered operations, in 16 bytes each. They follow from the numbers alone, so that ledgers
 * and their forks share them.
 */
export class NumberedIds {
  /** By number. */
  private prefixes = new Float64Array(FIRST_CAPACITY);
  /** Open addressing by prefix: a number plus 1, or 0 for none. */
  private table = new Int32Array(2 * FIRST_CAPACITY);
  private length = 0;
  /** abi.encode(chain id, contract, number) */
  private readonly preimage = new Uint8Array(96);
  private readonly view = new DataView(this.preimage.buffer);

  constructor({ chainId, contract }: Domain) {
    this.preimage.set(hexToBytes(numberToHex(chainId, { size: 32 })), 0);
    this.preimage.set(hexToBytes(contract), 44);
  }

  /** The id of a number: see `computeOperationId`. */
  computeId(number: number): Hex {
    this.view.setUint32(88, Math.floor(number / 2 ** 32));
    this.view.setUint32(92, number % 2 ** 32);
    const hash = keccak256(this.preimage, 'bytes');
    if (number === this.length) this.add(toPrefix(hash));
    return bytesToHex(hash);
  }

  /** The number below `end` with this id; null for another id. */
  find(id: Hex, end: number): number | null {
    while (this.length < end) this.computeId(this.length);
    const prefix = toPrefix(hexToBytes(id));
    for (let slot = this.toSlot(prefix); ; slot = (slot + 1) % this.table.length) {
      const number = (this.table[slot] ?? 0) - 1;
      if (number === -1) return null;
      if (number < end && this.prefixes[number] === prefix && this.computeId(number) === id) return number;
    }
  }

  private add(prefix: number): void {
    if (this.length === this.prefixes.length) this.grow();
    this.prefixes[this.length] = prefix;
    this.length += 1;
    this.insert(this.length, prefix);
  }

  private grow(): void {
    const larger = new Float64Array(2 * this.length);
    larger.set(this.prefixes);
    this.prefixes = larger;
    this.table = new Int32Array(2 * larger.length);
    for (let number = 0; number < this.length; number += 1) this.insert(number + 1, larger[number] ?? 0);
  }

  private insert(entry: number, prefix: number): void {
    let slot = this.toSlot(prefix);
    while (this.table[slot] !== 0) slot = (slot + 1) % this.table.length;
    this.table[slot] = entry;
  }

  private toSlot(prefix: number): number {
    return prefix % this.table.length;
  }
}

/** The first 52 bits, which fit a double exactly. */
function toPrefix(hash: Uint8Array): number {
  let prefix = 0;
  for (let index = 0; index < 6; index += 1) prefix = prefix * 256 + (hash[index] ?? 0);
  return prefix * 16 + ((hash[6] ?? 0) >> 4);
}
