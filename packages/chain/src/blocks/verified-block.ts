import type { Address, Hex } from 'viem';

/** A log of a watched contract. */
export interface VerifiedLog {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly logIndex: number;
  readonly transactionHash: Hex;
}

/** A successful top-level transaction that pays native coin to a watched receiver. `value` in wei of the RPC. */
export interface NativeTransfer {
  readonly transactionHash: Hex;
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint;
}

/** A block whose parts fit together, with what was watched for. */
export interface VerifiedBlock {
  readonly number: bigint;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestampSeconds: bigint;
  /** In the order of the block. */
  readonly logs: readonly VerifiedLog[];
  readonly transfers: readonly NativeTransfer[];
}

/** What to look for. Addresses in any case. */
export interface Watch {
  readonly contracts: readonly Address[];
  readonly receivers: readonly Address[];
}
