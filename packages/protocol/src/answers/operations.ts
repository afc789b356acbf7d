import type { Address, Hex } from 'viem';
import type { Asset, Direction } from '../assets.js';
import type { VerdictCode } from '../explain/verdict.js';
import type { DelayReason, OperationStatus, StallReason, UnpayableReason } from '../operations.js';
import type { FailureReason } from '../refunds.js';

/** The terms of a fee. */
export interface FeeTerms {
  /** In atomic units. */
  readonly amount: string;
  /** Plain decimal. */
  readonly formatted: string;
  /** Rate of the policy in hundredths of a percent, even where the minimum fee applies. */
  readonly bps: number;
}

/** The final delivery of an operation. */
export interface Settlement {
  readonly chainId: number;
  readonly txHash: Hex;
  readonly blockNumber: number;
  readonly recipient: Address;
  /** In atomic units. */
  readonly amount: string;
  readonly amountFormatted: string;
  /** When the delivery became final, ISO 8601 in UTC. */
  readonly settledAt: string;
  /** True if the recipient rejected the payment; the contract holds the amount until it is claimed. */
  readonly credited: boolean;
}

/**
 * An operation as `GET /bridge/status` returns it: BridgeOperationResponse of the specification and additional fields.
 * Amounts in atomic units, times in ISO 8601 in UTC.
 */
export interface BridgeOperationResponse {
  /** The depositId, withdrawId or intentId. */
  readonly id: Hex;
  readonly asset: Asset;
  readonly direction: Direction;
  /** COMPLETED, FAILED and EXPIRED are terminal. */
  readonly status: OperationStatus;
  /** Paid by the sender, fee included. */
  readonly amount: string;
  readonly amountFormatted: string;
  /** Null for deposits. */
  readonly fee: FeeTerms | null;
  /** Delivered to the recipient. */
  readonly outputAmount: string;
  readonly outputAmountFormatted: string;
  /** Chain of the origin transaction. */
  readonly originChainId: number;
  /** Chain of the delivery. */
  readonly destinationChainId: number;
  /** Null for an unpaid intent. */
  readonly originTxHash: Hex | null;
  /** Null until the delivery is signed. */
  readonly destinationTxHash: Hex | null;
  /** Null unless the operation is a deposit. */
  readonly depositId: Hex | null;
  /** Null unless the operation is a withdrawal. */
  readonly withdrawId: Hex | null;
  /** Null unless the operation is a withdrawal by an intent. */
  readonly intentId: Hex | null;
  readonly sender: Address;
  readonly recipient: Address;
  /** The block of the transaction counts as the first; 0 without a transaction. */
  readonly originConfirmations: number;
  /** Confirmations that make the origin transaction final. */
  readonly requiredConfirmations: number;
  /** Null when unknown: the payment is missing, the operation is delayed or overdue, or no relayer is running. */
  readonly estimatedCompletionTime: string | null;
  /** The completion time quoted at the beginning. It never changes. Null where none was quoted. */
  readonly quotedCompletionTime: string | null;
  /** Receiver of the payment of an unpaid intent. Null otherwise, and when the intent must not be paid. */
  readonly relayerWalletAddress: Address | null;
  /** Why an unpaid intent has no relayer wallet and must not be paid. */
  readonly unpayableReason: UnpayableReason | null;
  /** RELAYER_AWAY while no relayer is running. The operation continues when one runs again. */
  readonly stalledReason: StallReason | null;
  /** End of the security hold, while the operation is held. */
  readonly holdUntil: string | null;
  /** The final delivery; null before it. */
  readonly settlement: Settlement | null;
  /** Why the operation is DELAYED. It will still complete. */
  readonly delayedReason: DelayReason | null;
  /** When the delay began. */
  readonly delayedSince: string | null;
  /** Why the operation is FAILED. */
  readonly failureReason: FailureReason | null;
  /** The failure in words and the next step. */
  readonly failureMessage: string | null;
  /** Refund of a FAILED operation: see `GET /bridge/refunds/{id}`. */
  readonly refundId: Hex | null;
  /** Other operations of the same origin transaction, in log order. */
  readonly otherOperationIds: readonly Hex[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Operations per page of a history (specification, Limits). */
export const HISTORY_PAGE_SIZE = { default: 10, maximum: 100 } as const;
/** Maximum ids in one request of a history. */
export const MAXIMUM_IDS = 100;

/** The body of `GET /bridge/history`. */
export interface HistoryResponse {
  /** Newest first, or in the order of `ids`. */
  readonly operations: readonly BridgeOperationResponse[];
  /** The position of the page. With `role` or `status` a page can be short or empty while `hasMore` is true. */
  readonly pagination: {
    /** Maximum operations per page. */
    readonly limit: number;
    /** Operations skipped before this page. */
    readonly offset: number;
    readonly hasMore: boolean;
    /** The `cursor` of the next page; null on the last page. */
    readonly nextCursor: Hex | null;
  };
}

/** The body of `GET /bridge/operations`. */
export interface OperationsResponse {
  /** Newest first. */
  readonly operations: readonly BridgeOperationResponse[];
  /** The position of the page. */
  readonly pagination: {
    /** Maximum operations per page. */
    readonly limit: number;
    readonly hasMore: boolean;
    /** The `cursor` of the next page, opaque; null on the last page. */
    readonly nextCursor: string | null;
  };
}

/** The body of `GET /bridge/explain`: a verdict about a hash, see `Verdict`. */
export interface ExplainResponse {
  /** The requested hash. */
  readonly hash: Hex;
  readonly code: VerdictCode;
  /** What happened, in words for users. */
  readonly message: string;
  /** The next step, in words for users. */
  readonly nextStep: string;
  /** The operations that the hash names, begins or delivers. The verdict concerns the first. */
  readonly operationIds: readonly Hex[];
  /** When this state ends or is checked again; null if unknown. */
  readonly until: string | null;
  /** The transaction that was mined instead. */
  readonly replacedBy: Hex | null;
  /** RELAYER_AWAY while no relayer is running. */
  readonly stalledReason: StallReason | null;
}

/**
 * Event names of `GET /bridge/events`. `operation`: the data is the current state of an operation, as the status
 * returns it. `resync`: earlier changes are not in the stream, so read the history; the data is `{}`. Every new stream
 * of an address begins with `resync`, and it replaces more than 100 operations that changed together.
 */
export const EVENT_NAMES = ['operation', 'resync'] as const;
/** The name of an event. */
export type EventName = (typeof EVENT_NAMES)[number];
