import type { Address } from 'viem';
import type { FindingCode } from '../finding.js';
import type { Progress } from '../record/progress.js';
import type { RetryEvent } from '../read.js';
import type { RecordStore } from '../record/store.js';

/** The terms of a transfer. The sender is the wallet's account. */
export interface TransferTerms {
  /** Symbol, such as USDC. */
  readonly asset: string;
  /** A plain decimal such as '12.5', or a bigint in atomic units. */
  readonly amount: string | bigint;
  /** The receiving account on the other chain. */
  readonly recipient: Address;
}

/** Limits that a caller sets before a transfer begins. */
export interface CheckOptions {
  /** Codes of `acceptable` findings to ignore. */
  readonly accept?: readonly FindingCode[];
  /** Maximum fee as a share of the amount, in basis points (100 is 1 %). Default: no limit. */
  readonly maxFeeShareBps?: number;
  /** Maximum fee in atomic units, such as that of a quote shown to the user. Default: no limit. */
  readonly maxFee?: bigint;
  /**
   * Maximum gas fee of a key, in wei of the origin chain's coin, shared evenly by the transactions of a transfer.
   * Default: 0.02 ETH or 50 XCN, because a key has no window that shows the fee.
   */
  readonly maxGasFee?: bigint;
}

/** Options for running a transfer. */
export interface TransferOptions extends CheckOptions {
  /** Stores the record. Without a store a transfer cannot be resumed after a crash. */
  readonly store?: RecordStore;
  /** Stops waiting. Sent transactions are not cancelled; `resume` continues. */
  readonly signal?: AbortSignal;
  /** Receives each change, from the check until the transactions are mined. Its `message` is for the user. */
  readonly onProgress?: (progress: Progress) => void;
  /** Called before each repetition of a read from the API or the wallet's node. */
  readonly onRetry?: (retry: RetryEvent) => void;
  /** Polling interval in milliseconds. Default: 4,000 on Ethereum, 1,000 on the partner chain. */
  readonly pollMs?: number;
}
