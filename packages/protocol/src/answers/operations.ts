import type { Address, Hex } from 'viem';
import type { Asset, Direction } from '../assets.js';
import type { VerdictCode } from '../explain/verdict.js';
import type { DelayReason, OperationStatus, StallReason, UnpayableReason } from '../operations.js';
import type { FailureReason } from '../refunds.js';

/** The terms of a fee. */
export interface FeeTerms {
  /** In atomic units. */
  readonly amount: string;
  /** As a plain decimal. */
  readonly formatted: string;
  /** The rate in hundredths of a percent, also where the minimum fee applies. */
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
  /** When its block was final, in ISO 8601 in UTC. */
  readonly settledAt: string;
  /** The recipient did not take it; the contract keeps it to be claimed. */
  readonly credited: boolean;
}

/**
 * An operation as `GET /bridge/status` shows it: BridgeOperationResponse of the specification, with the further fields
 * of this implementation. Amounts in atomic units, times in ISO 8601 in UTC.
 */
export interface BridgeOperationResponse {
  /** Its depositId, withdrawId or intentId. */
  readonly id: Hex;
  readonly asset: Asset;
  readonly direction: Direction;
  /** COMPLETED, FAILED and EXPIRED never change again. */
  readonly status: OperationStatus;
  /** Paid by the sender, before the fee. */
  readonly amount: string;
  readonly amountFormatted: string;
  /** Null for deposits. */
  readonly fee: FeeTerms | null;
  /** Delivered to the recipient. */
  readonly outputAmount: string;
  readonly outputAmountFormatted: string;
  /** Where it begins. */
  readonly originChainId: number;
  /** Where it is delivered. */
  readonly destinationChainId: number;
  /** Its transaction; null for an intent that is not paid. */
  readonly originTxHash: Hex | null;
  /** The transaction of its delivery, once there is one. */
  readonly destinationTxHash: Hex | null;
  /** Of a deposit. */
  readonly depositId: Hex | null;
  /** Of a withdrawal. */
  readonly withdrawId: Hex | null;
  /** Of a withdrawal by an intent. */
  readonly intentId: Hex | null;
  /** The account that pays. */
  readonly sender: Address;
  /** The account that is paid. */
  readonly recipient: Address;
  /** The block of the transaction is the first one; 0 without a transaction. */
  readonly originConfirmations: number;
  /** Confirmations after which the origin is final. */
  readonly requiredConfirmations: number;
  /** Null when unknown: it waits for its sender, is delayed, takes longer than usual, or no relayer works. */
  readonly estimatedCompletionTime: string | null;
  /** The end that was usual when it began, to compare with. It never changes. Null where none was quoted. */
  readonly quotedCompletionTime: string | null;
  /** Of an unpaid intent: the receiver of its payment. Null otherwise, and when it must not be paid. */
  readonly relayerWalletAddress: Address | null;
  /** Why an unpaid intent names no wallet. Pay nothing then. */
  readonly unpayableReason: UnpayableReason | null;
  /** RELAYER_AWAY while no relayer works. It continues when one is back. */
  readonly stalledReason: StallReason | null;
  /** End of the security hold, while it runs. */
  readonly holdUntil: string | null;
  /** The final delivery. */
  readonly settlement: Settlement | null;
  /** Why it is DELAYED. It will still complete. */
  readonly delayedReason: DelayReason | null;
  /** When this delay began. */
  readonly delayedSince: string | null;
  /** Why it is FAILED. */
  readonly failureReason: FailureReason | null;
  /** The failure in words, and what to do next. */
  readonly failureMessage: string | null;
  /** The refund of what arrived, if it is FAILED: see `GET /bridge/refunds/{id}`. */
  readonly refundId: Hex | null;
  /** Ids of the other operations of the same origin transaction, in log order. */
  readonly otherOperationIds: readonly Hex[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Operations of one page of a history (specification, Limits). */
export const HISTORY_PAGE_SIZE = { default: 10, maximum: 100 } as const;
/** Ids in one request of a history. */
export const MAXIMUM_IDS = 100;

/** The body of `GET /bridge/history`. */
export interface HistoryResponse {
  /** Newest first, or in the order of `ids`. */
  readonly operations: readonly BridgeOperationResponse[];
  /** The position of the page. A page with `role` or `status` may be short or empty while `hasMore` is true. */
  readonly pagination: {
    /** Operations of a page at most. */
    readonly limit: number;
    /** Operations that were left out. */
    readonly offset: number;
    readonly hasMore: boolean;
    /** The `cursor` of the page after this one; null on the last one. */
    readonly nextCursor: Hex | null;
  };
}

/** The body of `GET /bridge/explain`: a verdict about a hash, see `Verdict`. */
export interface ExplainResponse {
  /** As it was asked for. */
  readonly hash: Hex;
  readonly code: VerdictCode;
  /** The event, for people. */
  readonly message: string;
  /** The next step, for people. */
  readonly nextStep: string;
  /** The operations that it names, begins or delivers. The verdict is about the first one. */
  readonly operationIds: readonly Hex[];
  /** When this state ends or is looked at again; null when that is not known. */
  readonly until: string | null;
  /** The transaction that was mined instead. */
  readonly replacedBy: Hex | null;
  /** RELAYER_AWAY while no relayer works. */
  readonly stalledReason: StallReason | null;
}

/**
 * The names of events of `GET /bridge/events`. `operation`: the data is an operation as the status shows it, in its
 * newest state. `resync`: the changes before it are not in the stream, so read the history now; the data is `{}`. A new
 * stream of an address begins with it, and it stands for more than 100 operations that changed together.
 */
export const EVENT_NAMES = ['operation', 'resync'] as const;
/** The name of an event. */
export type EventName = (typeof EVENT_NAMES)[number];
