import { hexToBytes, keccak256, numberToHex, type Hex } from 'viem';
import type { Domain } from '../digests/typed-data.js';

/** Hex digits of an id that fit a double exactly: 52 bits. */
const PREFIX = 13;

/**
 * The ids of a contract's numbered operations, 8 bytes each. They follow from the numbers alone, so that ledgers and
 * their forks share them.
 */
export class NumberedIds {
  private prefixes = new Float64Array(1_024);
  private length = 0;
  /** abi.encode(chain id, contract, number) */
  private readonly preimage: Uint8Array;
  private readonly view: DataView;

  constructor({ chainId, contract }: Domain) {
    this.preimage = new Uint8Array(96);
    this.preimage.set(hexToBytes(numberToHex(chainId, { size: 32 })), 0);
    this.preimage.set(hexToBytes(contract), 44);
    this.view = new DataView(this.preimage.buffer);
  }

  /** The id of a number: see `computeOperationId`. */
  computeId(number: number): Hex {
    this.view.setBigUint64(88, BigInt(number));
    const id = keccak256(this.preimage);
    if (number === this.length) this.add(id);
    return id;
  }

  /** The number below `end` with this id; null for another id. */
  find(id: Hex, end: number): number | null {
    while (this.length < end) this.computeId(this.length);
    const prefix = toPrefix(id);
    let number = this.prefixes.indexOf(prefix);
    while (number !== -1 && number < end) {
      if (this.computeId(number) === id) return number;
      number = this.prefixes.indexOf(prefix, number + 1);
    }
    return null;
  }

  private add(id: Hex): void {
    if (this.length === this.prefixes.length) {
      const larger = new Float64Array(2 * this.length);
      larger.set(this.prefixes);
      this.prefixes = larger;
    }
    this.prefixes[this.length] = toPrefix(id);
    this.length += 1;
  }
}

function toPrefix(id: Hex): number {
  return Number.parseInt(id.slice(2, 2 + PREFIX), 16);
}
