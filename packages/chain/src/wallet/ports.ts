import type { Address, Hex } from 'viem';
import type { BroadcastResult } from '../transactions/broadcast.js';
import type { Fees } from '../transactions/sign-transaction.js';
import type { FeeMarket } from './fees.js';

/** The parameters of a call. `value` in wei of the RPC. */
export interface Call {
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
}

/** A signed transaction of the journal. `isCancellation`: it pays nothing and only uses up its nonce. */
export interface VersionOfCall extends Fees {
  readonly hash: Hex;
  readonly raw: Hex;
  readonly gas: bigint;
  readonly isCancellation: boolean;
  readonly createdAt: Date;
}

/** A journalled call that has not ended. `transactions`: all that were signed for its nonce, oldest first. */
export interface PendingCall extends Call {
  readonly id: bigint;
  readonly nonce: bigint;
  readonly isCancelled: boolean;
  /** How many deliveries it carries; 1 for everything else. */
  readonly deliveries: number;
  readonly transactions: readonly VersionOfCall[];
}

/** A call that was signed and is to be journalled. `subject`: what it serves. */
export interface SignedCall<S> extends Call {
  readonly nonce: bigint;
  readonly subject: S;
  readonly transaction: Fees & { readonly hash: Hex; readonly raw: Hex; readonly gas: bigint };
}

/** A final receipt, as a quorum of nodes reports it. `feePaid` in wei. */
export interface AgreedReceipt {
  readonly hash: Hex;
  readonly status: 'success' | 'reverted';
  readonly block: { readonly number: bigint; readonly hash: Hex };
  readonly feePaid: bigint;
  readonly logs: readonly { readonly address: Address; readonly topics: readonly Hex[]; readonly data: Hex }[];
}

/** How the nonce of a call was used, once that is final. `taken`: by a transaction outside the journal. */
export type CallEnd =
  | { readonly kind: 'succeeded' | 'reverted' | 'cancelled'; readonly receipt: AgreedReceipt }
  | { readonly kind: 'taken' };

/** The chain as the lane uses it. Everything that decides about money comes from a quorum of nodes. */
export interface LaneChain {
  readonly chainId: number;
  /** The highest block that a quorum of nodes has. */
  readonly head: () => Promise<bigint>;
  /** How many transactions of the wallet are mined up to a block. */
  readonly nonceAt: (block: bigint) => Promise<bigint>;
  /** The balance of the wallet at a block, in wei of the RPC. */
  readonly balanceAt: (block: bigint) => Promise<bigint>;
  readonly market: () => Promise<FeeMarket>;
  readonly receipt: (hash: Hex) => Promise<AgreedReceipt | null>;
  readonly broadcast: (raw: Hex) => Promise<BroadcastResult>;
}

/** The result of calls that were to be journalled. `ended`: the subjects of these do not wait any more. */
export type Recorded<S> =
  | { readonly kind: 'recorded' }
  | { readonly kind: 'halted' | 'nonce-used' }
  | { readonly kind: 'ended'; readonly subjects: readonly S[] };

/** The most that calls in flight can take from the wallet, in wei. */
export interface InFlight {
  readonly value: bigint;
  readonly fees: bigint;
}

/** The journal of one wallet on one chain. It alone rebuilds the books of the lane after a crash. */
export interface LaneJournal<S, C extends PendingCall> {
  /** The subject of a call that only uses a nonce that the chain misses. */
  readonly gap: S;
  /** Checked right before every broadcast. Throws when another process may send for the wallet now. */
  readonly assertHeld: () => void;
  /** The calls that have not ended, in the order of their nonces. */
  readonly pending: () => Promise<readonly C[]>;
  /** The next nonce that no call has. */
  readonly nextNonce: () => Promise<bigint>;
  /**
   * The most that the calls from a nonce on can take from the wallet, in wei: their values, and the gas fees of the
   * dearest transaction of each. Also ended ones: a block without these nonces has not paid them.
   */
  readonly inFlight: (from: bigint) => Promise<InFlight>;
  /** Gas fees of final transactions since a time, in wei. */
  readonly feesPaidSince: (since: Date) => Promise<bigint>;
  /** Stores calls before their broadcast, all or none. */
  readonly record: (calls: readonly SignedCall<S>[]) => Promise<Recorded<S>>;
  /** Stores another transaction for the nonce of a call. False when it must not be sent. */
  readonly replace: (call: C, signed: SignedCall<S>['transaction'], isCancellation: boolean) => Promise<boolean>;
  /** From now on the nonce is used for nothing else than itself. */
  readonly cancel: (call: C) => Promise<boolean>;
  /** Opens ended calls again whose transactions a reorg removed. Returns how many. */
  readonly reopenLost: (chainNonce: bigint, head: bigint) => Promise<number>;
  /** Stores the final end of a call. */
  readonly conclude: (call: C, end: CallEnd) => Promise<boolean>;
  /** A node has the transaction after an earlier failure, or refuses it. */
  readonly noteBroadcast: (call: C, hash: Hex, result: BroadcastResult) => Promise<void>;
}

/**
 * Whether the transaction of a call may be sent now. `later`: not now, for a reason that is not the call's.
 * `withhold`: what the call relies on is not certain now. `cancel`: it is certain that it must not be mined.
 */
export type Verdict = 'send' | 'later' | 'withhold' | 'cancel';
