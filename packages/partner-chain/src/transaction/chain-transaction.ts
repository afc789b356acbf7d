import type { TypedTransaction } from '@ethereumjs/tx';
import type { Address } from '@ethereumjs/util';

/** A signed transaction that was checked by itself: well-formed, of this chain, signed by `sender`. */
export interface ChainTransaction {
  readonly tx: TypedTransaction;
  /** Lower-case 0x-hex of the transaction hash. */
  readonly hash: `0x${string}`;
  readonly sender: Address;
  /** The value inside the EVM, in units of 8 decimals. */
  readonly valueUnits: bigint;
  /** The most a unit of gas may cost, in wei. */
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  /** The signed bytes, as they came. */
  readonly raw: Uint8Array;
}
