import type { Address, Hex } from 'viem';
import type { OperationTerms } from '../operations/operation.js';

/** An event of a bridge contract, decoded. */
export interface ScannedEvent {
  readonly txHash: Hex;
  readonly logIndex: number;
  readonly name: 'Deposit' | 'Mint' | 'Withdraw' | 'Release' | 'Credited' | 'Refunded';
  /** Of the operation; of the refund in a Refunded event. */
  readonly operationId: Hex;
  /** Arguments by name; integers as decimal strings. */
  readonly args: Readonly<Record<string, string>>;
  /** The operation that a Deposit or Withdraw event begins. */
  readonly opens?: OperationTerms;
}

/** A native transfer to the relayer wallet. `amount` in 18-decimal units. */
export interface ScannedTransfer {
  readonly txHash: Hex;
  readonly payer: Address;
  /** The relayer wallet that received it. */
  readonly wallet: Address;
  readonly callIndex: number;
  readonly amount: bigint;
}

/** The bridge events and transfers of one block. */
export interface ScannedBlock {
  readonly number: bigint;
  readonly hash: Hex;
  readonly timestamp: Date;
  readonly events: readonly ScannedEvent[];
  readonly transfers: readonly ScannedTransfer[];
}
