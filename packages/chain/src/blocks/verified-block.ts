import type { Address, Hex } from 'viem';

/** A log of a watched contract. Block number and hash are those of the block it stands in. Hex in lower case. */
export interface VerifiedLog {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  /** Counted through the block. */
  readonly logIndex: number;
  readonly transactionHash: Hex;
}

/** A successful top-level transaction that pays native coin to a watched receiver. `value` in wei of the RPC. */
export interface NativeTransfer {
  readonly transactionHash: Hex;
  /** Recovered from the signature. */
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint;
  /** Of the payer: a transaction that replaced another one has the same. Always given by `readVerifiedBlock`. */
  readonly nonce?: bigint;
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
  readonly receivers?: readonly Address[];
}
