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

/** A signed transaction of the journal. `isCancellation`: an empty transaction that only uses the nonce. */
export interface VersionOfCall extends Fees {
  readonly hash: Hex;
  readonly raw: Hex;
  readonly gas: bigint;
  readonly isCancellation: boolean;
  readonly createdAt: Date;
}

/** A journalled call that has not ended. `transactions`: all signed for its nonce, oldest first. */
export interface PendingCall extends Call {
  readonly id: bigint;
  readonly nonce: bigint;
  readonly isCancelled: boolean;
  /** Number of deliveries it carries; 1 for everything else. */
  readonly deliveries: number;
  readonly transactions: readonly VersionOfCall[];
}

/** A signed call to journal. `subject`: what it serves. */
export interface SignedCall<S> extends Call {
  readonly nonce: bigint;
  readonly subject: S;
  readonly transaction: Fees & { readonly hash: Hex; readonly raw: Hex; readonly gas: bigint };
}

/** A receipt that a quorum of nodes agrees on. `feePaid` in wei. */
export interface AgreedReceipt {
  readonly hash: Hex;
  readonly status: 'success' | 'reverted';
  readonly block: { readonly number: bigint; readonly hash: Hex };
  readonly feePaid: bigint;
  readonly logs: readonly { readonly address: Address; readonly topics: readonly Hex[]; readonly data: Hex }[];
}

/** The final use of a call's nonce. `taken`: by a transaction outside the journal. */
export type CallEnd =
  | { readonly kind: 'succeeded' | 'reverted' | 'cancelled'; readonly receipt: AgreedReceipt }
  | { readonly kind: 'taken' };

/** The lane's view of a chain. Everything that decides about money comes from a quorum of nodes. */
export interface LaneChain {
  readonly chainId: number;
  /** The highest block that a quorum of nodes has. */
  readonly head: () => Promise<bigint>;
  /** Number of the wallet's transactions mined up to a block. */
  readonly nonceAt: (block: bigint) => Promise<bigint>;
  /** The balance of the wallet at a block, in wei of the RPC. */
  readonly balanceAt: (block: bigint) => Promise<bigint>;
  readonly market: () => Promise<FeeMarket>;
  readonly receipt: (hash: Hex) => Promise<AgreedReceipt | null>;
  readonly broadcast: (raw: Hex) => Promise<BroadcastResult>;
}

/** The result of journalling calls. `ended`: these subjects are not pending, so nothing was stored. */
export type Recorded<S> =
  | { readonly kind: 'recorded' }
  | { readonly kind: 'halted' | 'nonce-used' }
  | { readonly kind: 'ended'; readonly subjects: readonly S[] };

/** The most that calls in flight can cost the wallet, in wei. */
export interface InFlight {
  readonly value: bigint;
  readonly fees: bigint;
}

/** The journal of one wallet on one chain. With the chain, it is all that the lane needs after a crash. */
export interface LaneJournal<S, C extends PendingCall> {
  /** The subject of a call that only fills a nonce gap. */
  readonly gap: S;
  /** Checked right before every broadcast. Throws if another process may be sending for the wallet. */
  readonly assertHeld: () => void;
  /** Reads the calls that have not ended, in the order of their nonces. */
  readonly pending: () => Promise<readonly C[]>;
  /** Reads the lowest nonce above all calls. */
  readonly nextNonce: () => Promise<bigint>;
  /**
   * Sums the most that the calls from a nonce on can cost, in wei: their values, and the gas fees of the most expensive
   * transaction of each. Includes ended calls, because the balance at a block without these nonces has not paid them.
   */
  readonly inFlight: (from: bigint) => Promise<InFlight>;
  /** Sums the gas fees of final transactions since a time, in wei. */
  readonly feesPaidSince: (since: Date) => Promise<bigint>;
  /** Stores calls before their broadcast, all or none. */
  readonly record: (calls: readonly SignedCall<S>[]) => Promise<Recorded<S>>;
  /** Stores another transaction for the nonce of a call. Returns false if it must not be sent. */
  readonly replace: (call: C, signed: SignedCall<S>['transaction'], isCancellation: boolean) => Promise<boolean>;
  /** Marks a call as cancelled: its nonce is then only used by an empty transaction. */
  readonly cancel: (call: C) => Promise<boolean>;
  /** Reopens ended calls whose transactions a reorg removed. Returns their number. */
  readonly reopenLost: (chainNonce: bigint, head: bigint) => Promise<number>;
  /** Stores the final end of a call. */
  readonly conclude: (call: C, end: CallEnd) => Promise<boolean>;
  /** Records that a node accepted the transaction first or after a failure, or that the nodes refuse it. */
  readonly noteBroadcast: (call: C, hash: Hex, result: BroadcastResult) => Promise<void>;
}

/**
 * Whether the transaction of a call may be sent now. `later`: not now, for a reason outside the call. `withhold`: a
 * condition of the call is uncertain. `cancel`: it certainly must not be mined.
 */
export type Verdict = 'send' | 'later' | 'withhold' | 'cancel';
