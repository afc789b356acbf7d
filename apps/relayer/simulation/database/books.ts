import type { Asset, OperationStatus } from '@causeway/protocol';
import type {
  BalanceDifference,
  CallOutcome,
  Operation,
  Refund,
  ScannedTransfer,
  WalletCall,
  WalletState,
} from '@causeway/store';
import type { Hex } from 'viem';

/** The columns of an operation that the invariants read. */
export interface OperationBook extends Pick<Operation, 'id' | 'kind' | 'holdUntil' | 'delayedReason'> {
  readonly status: OperationStatus;
  readonly originBlockHash: string | null;
}
/** The columns of a call. */
export interface CallBook {
  readonly id: bigint;
  readonly chainId: number;
  readonly value: bigint;
  readonly nonce: bigint;
  readonly purpose: WalletCall['purpose'];
  readonly state: 'PENDING' | CallOutcome['state'];
  readonly refundId: string | null;
  readonly hashes: readonly Hex[];
}
/** The columns of a cursor. */
export interface CursorBook {
  readonly chainId: number;
  readonly nextBlock: bigint;
  readonly haltedReason: string | null;
  readonly deliveriesHaltedReason: string | null;
}
/** The columns of a transfer to the wallet. */
export interface TransferBook extends Pick<ScannedTransfer, 'txHash' | 'asset' | 'callIndex' | 'payer' | 'amount'> {
  readonly chainId: number;
}
/** Dust that the bridge keeps. */
export interface DustBook {
  readonly chainId: number;
  readonly asset: Asset;
  readonly amount: bigint;
}
/** The columns of a refund. */
export type RefundBook = Pick<Refund, 'id' | 'chainId' | 'asset' | 'payer' | 'amount' | 'status' | 'payment'>;
/** The state of a wallet at a block. */
export interface AuditBook extends Pick<WalletState, 'blockNumber' | 'balance'> {
  readonly chainId: number;
}
/** A difference in the wallet's account, with its explanation. */
export interface DifferenceBook extends Pick<BalanceDifference, 'chainId' | 'blockNumber' | 'amount'> {
  readonly explanation: string | null;
}
