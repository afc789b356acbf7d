import type { Asset, BridgeEvent, OperationStatus, OperationTerms } from '@causeway/protocol';
import type { CallOutcome, IntentRecord, Operation, ScannedDust, ScannedTransfer, WalletCall } from '@causeway/store';
import type { Hex } from 'viem';

// The rows of the tables that packages/store/prisma/schema.prisma documents, as plain data. Left out are the histories
// of addresses, and the tables that triggers keep: they are computed from the others.

/** A row of `chain_cursor`. */
export interface CursorRow {
  readonly chainId: number;
  readonly nextBlock: bigint;
  readonly headBlock: bigint;
  readonly readAt: Date;
  readonly haltedAt: Date | null;
  readonly haltedReason: string | null;
  readonly deliveriesHaltedAt: Date | null;
  readonly deliveriesHaltedReason: string | null;
}

/** A row of `chain_event`. */
export interface EventRow extends Omit<BridgeEvent, 'opens'> {
  readonly chainId: number;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  readonly verdict: 'MATCHED' | 'UNKNOWN' | 'ACCEPTED' | null;
}

/** A row of `operation`. */
export interface OperationRow
  extends
    OperationTerms,
    Pick<
      Operation,
      | 'originConfirmations'
      | 'finalizedAt'
      | 'holdUntil'
      | 'holdReleasedAt'
      | 'delayedReason'
      | 'delayedSince'
      | 'attempts'
      | 'nextAttemptAt'
      | 'failureReason'
      | 'expiredAt'
      | 'createdAt'
      | 'updatedAt'
    > {
  readonly status: OperationStatus;
  readonly originTxHash: string | null;
  readonly originLogIndex: number | null;
  readonly originBlockNumber: bigint | null;
  readonly originBlockHash: string | null;
  readonly destinationTxHash: string | null;
  readonly settledAt: Date | null;
  readonly settledBlockNumber: bigint | null;
  readonly settledCredited: boolean | null;
  readonly refundId: string | null;
}

/** A row of `intent`. */
export interface IntentRow extends IntentRecord {
  readonly clientIp: string;
}

/** A row of `inbound_transfer`. */
export interface TransferRow extends ScannedTransfer {
  readonly chainId: number;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  readonly minedAt: Date;
  readonly operationId: Hex | null;
  readonly hasFailed: boolean;
  readonly sweepId: bigint | null;
}

/** A row of `dust`. */
export interface DustRow extends ScannedDust {
  readonly chainId: number;
  readonly blockNumber: bigint;
}

/** A row of `wallet_call`, with those of `signed_transaction` and `call_operation` that belong to it. */
export interface CallRow extends Omit<WalletCall, 'isCancelled' | 'operationIds' | 'state'> {
  readonly state: 'PENDING' | CallOutcome['state'];
  readonly cancelledAt: Date | null;
  readonly txHash: Hex | null;
  readonly blockNumber: bigint | null;
  readonly blockHash: Hex | null;
  readonly feePaid: bigint | null;
  readonly endedAt: Date | null;
  /** In their order in the batch. `freedAt`: when the call ended without paying it. */
  readonly operations: readonly { readonly operationId: Hex; readonly freedAt: Date | null }[];
}

/** A row of `sweep`. */
export interface SweepRow {
  readonly id: bigint;
  readonly chainId: number;
  readonly amount: bigint;
  readonly state: 'PENDING' | 'CONFIRMED' | 'FAILED';
  readonly endedAt: Date | null;
}

/** A row of `retirement`, with the operations that it retires. */
export interface RetirementRow extends SweepRow {
  readonly asset: Asset;
  readonly operationIds: readonly string[];
}
