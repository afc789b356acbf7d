import type { Address } from 'viem';
import type { FindingCode } from '../finding.js';
import type { RecordStore } from '../record/store.js';

/** A transfer as a user describes it. The sender is the account of the wallet. */
export interface TransferTerms {
  /** Its symbol, such as USDC. */
  readonly asset: string;
  /** A plain decimal such as '12.5', or a bigint in atomic units. */
  readonly amount: string | bigint;
  /** The account that is paid, on the other chain. */
  readonly recipient: Address;
}

/** Bounds that a caller sets before a transfer begins. */
export interface CheckOptions {
  /** Findings that do not block: only `acceptable` ones can be named. */
  readonly accept?: readonly FindingCode[];
  /** The highest share of the fee in the amount, in basis points (100 are 1 %). No bound unless given. */
  readonly maxFeeShareBps?: number;
  /** The highest fee in atomic units, such as that of a quote that a user has seen. No bound unless given. */
  readonly maxFee?: bigint;
  /**
   * The highest fee for gas of a key, in wei of the coin of the origin chain, shared evenly by the transactions of a
   * transfer. 0.02 ETH or 50 XCN unless given: a key has no window that shows what its node asks for.
   */
  readonly maxGasFee?: bigint;
}

/** How a transfer is run. */
export interface TransferOptions extends CheckOptions {
  /** Where the record is kept. Without one a transfer cannot be resumed after a crash. */
  readonly store?: RecordStore;
  /** Stops waiting. What was sent goes on; `resume` continues. */
  readonly signal?: AbortSignal;
  /** A sentence about each step, for the user. */
  readonly onStep?: (sentence: string) => void;
  /** Milliseconds between two looks at the chain; 4,000 on Ethereum and 1,000 on the partner chain unless given. */
  readonly pollMs?: number;
}
