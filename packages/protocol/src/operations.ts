import { encodeAbiParameters, keccak256, type Address, type Hex } from 'viem';
import type { Asset, Direction } from './assets.js';
import type { FailureReason } from './refunds.js';

/**
 * How an operation begins: a Deposit event, a Withdraw event of a burn or of native XCN, a signed intent for native
 * XCN, or a transfer to a relayer wallet that pays no intent and is FAILED from its beginning.
 */
export type OperationKind = 'DEPOSIT' | 'BURN' | 'NATIVE_WITHDRAWAL' | 'INTENT' | 'TRANSFER';

/**
 * The terms of an operation, fixed when it begins. Amounts in atomic units. `outputAmount` is `amount` minus `fee`, or
 * 0 for a TRANSFER, which does not cross the bridge.
 */
export interface OperationTerms {
  readonly id: Hex;
  readonly kind: OperationKind;
  readonly direction: Direction;
  readonly asset: Asset;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly feeBps: number;
  readonly outputAmount: bigint;
  readonly sender: Address;
  readonly recipient: Address;
  readonly originChainId: number;
  readonly destinationChainId: number;
  /** The number assigned by the origin contract; null for intents and transfers. */
  readonly originNonce: bigint | null;
  readonly requiredConfirmations: number;
  /** Estimated seconds from its beginning; absent where none was quoted. */
  readonly estimatedSeconds?: number;
}

/** A decoded event of a bridge contract. */
export interface BridgeEvent {
  readonly txHash: Hex;
  readonly logIndex: number;
  readonly name: 'Deposit' | 'Mint' | 'Withdraw' | 'Release' | 'Credited' | 'Refunded' | 'Reopened' | 'IdReopened';
  /**
   * Id of the operation, or of the refund in a Refunded event. Of an opening: the key by which the contract counts it,
   * which is the word of numbers in a Reopened event.
   */
  readonly operationId: Hex;
  /** Arguments by name; integers as decimal text. */
  readonly args: Readonly<Record<string, string>>;
  /** Terms of the operation that a Deposit or Withdraw event begins. */
  readonly opens?: OperationTerms;
  /** The operations or the refund that a Reopened or IdReopened event makes payable again. */
  readonly reopens?: readonly Hex[];
}

/**
 * Computes the depositId or withdrawId of an operation: keccak256(abi.encode(origin chain id, origin contract, nonce)).
 * It is unique across chains, deployments and environments. The destination contract derives the same id.
 *
 * @param originContract BridgeLock for a deposit, BridgeMint for a withdrawal; any letter case.
 * @param nonce the number that the origin contract assigned to the operation.
 * @example
 * ```ts
 * operationId(1, '0x5FbDB2315678afecb367f032d93F642f64180aa3', 7n); // '0x9fda0f6842c4...'
 * ```
 */
export function operationId(originChainId: number, originContract: Address, nonce: bigint): Hex {
  return keccak256(
    encodeAbiParameters(
      [{ type: 'uint256' }, { type: 'address' }, { type: 'uint256' }],
      [BigInt(originChainId), originContract, nonce],
    ),
  );
}

/**
 * Why a delivery is `DELAYED`, and the operator's step. Without such a step the relayer retries automatically.
 *
 * - `FLOAT_SHORT`: the wallet cannot pay the gas or lacks the XCN of an intent, or the wallet and the float of
 *   BridgeMint do not cover the XCN of a mint. Fund them.
 * - `OUTFLOW_LIMIT`: the outflow limit of the contract is reached. It refills over time.
 * - `COLLATERAL_SHORT`: BridgeLock holds less than the payment. Find the cause before you fund it.
 * - `BACKING_SHORT`: the collateral on Ethereum does not cover the tokens on the partner chain plus this mint. Find the
 *   cause: a node may have invented a deposit, or the bridge is insolvent.
 * - `PAUSED`: deliveries are paused on the contract. Resume them when the cause is removed.
 * - `NODE_UNAVAILABLE`: no node of the destination chain responds. Check `ETHEREUM_RPC_URLS` or `PARTNER_RPC_URLS`.
 * - `NODE_REFUSED`: the node rejected the signed transaction. Read its message in the log; try another node.
 * - `FEES_ABOVE_CAP`: the fee exceeds the cap per gas, per delivery or per day. Wait, or raise that cap.
 * - `ORIGIN_NOT_CONFIRMED`: the nodes do not confirm the deposit, withdrawal or transfer. Compare with another node.
 * - `NONCE_TAKEN`: a transaction outside the journal used the nonce. Find out who else holds the wallet's key.
 * - `DESTINATION_REVERTED`: the delivery reverts, simulated or mined. Retried alone, with backoff.
 * - `DELIVERY_CANCELLED`: the delivery lost its origin, or an operator cancelled it. The relayer retries.
 * - `ATTESTERS_UNAVAILABLE`: too few attesters have answered or signed. Find the ones missing at the exchange.
 * - `ATTESTERS_DISAGREE`: too many attesters refuse the delivery. Read their reasons in the console.
 * - `NUMBER_USED_UP`: a final delivery paid the same number or intent with other terms. No attempt follows unless that
 *   delivery disappears or the admin reopens the number. Find out who else holds the relayer's key.
 */
export const DELAY_REASONS = [
  'FLOAT_SHORT',
  'OUTFLOW_LIMIT',
  'COLLATERAL_SHORT',
  'BACKING_SHORT',
  'PAUSED',
  'NODE_UNAVAILABLE',
  'NODE_REFUSED',
  'FEES_ABOVE_CAP',
  'ORIGIN_NOT_CONFIRMED',
  'NONCE_TAKEN',
  'DESTINATION_REVERTED',
  'DELIVERY_CANCELLED',
  'ATTESTERS_UNAVAILABLE',
  'ATTESTERS_DISAGREE',
  'NUMBER_USED_UP',
] as const;

/** Why a delivery is delayed. Users and operators see it as `delayedReason`. */
export type DelayReason = (typeof DELAY_REASONS)[number];

/**
 * Why an unpaid intent must not be paid: its relayer wallet was replaced, no quorum of nodes has confirmed the wallet
 * recently, or its payment window has closed.
 */
export const UNPAYABLE_REASONS = ['WALLET_REPLACED', 'CHAIN_AWAY', 'WINDOW_CLOSED'] as const;
/** One of the reasons. */
export type UnpayableReason = (typeof UNPAYABLE_REASONS)[number];

/** Why an open operation makes no progress, in any status. */
export const STALL_REASONS = ['RELAYER_AWAY'] as const;
/** One of the reasons. */
export type StallReason = (typeof STALL_REASONS)[number];

/** Statuses of an operation (specification, States and transitions). */
export const OPERATION_STATUSES = [
  'PENDING_ORIGIN_TX',
  'CONFIRMING',
  'AWAITING_RELAY',
  'PROCESSING_DESTINATION',
  'COMPLETED',
  'DELAYED',
  'FAILED',
  'EXPIRED',
] as const;

/** One of the statuses. */
export type OperationStatus = (typeof OPERATION_STATUSES)[number];

/** Returns whether a status is final, so that clients can stop polling. */
export function isTerminal(status: OperationStatus): boolean {
  return status === 'COMPLETED' || status === 'FAILED' || status === 'EXPIRED';
}

/** The facts that determine a status. Each stage of the pipeline writes its own fact. */
export interface OperationFacts {
  /** Set once the transaction is in a block and, for an intent, bound to it. */
  readonly originTxHash: Hex | null;
  readonly finalizedAtMs: number | null;
  /** Stored when signed, before the broadcast. */
  readonly destinationTxHash: Hex | null;
  /** Why the last attempt failed; null after the next one is signed. */
  readonly delayedReason: DelayReason | null;
  readonly settledAtMs: number | null;
  readonly failureReason: FailureReason | null;
  readonly expiredAtMs: number | null;
}

/** Computes the public status. No other code decides it. */
export function computeStatus(facts: OperationFacts): OperationStatus {
  if (facts.failureReason !== null) return 'FAILED';
  if (facts.expiredAtMs !== null) return 'EXPIRED';
  if (facts.settledAtMs !== null) return 'COMPLETED';
  if (facts.delayedReason !== null) return 'DELAYED';
  if (facts.destinationTxHash !== null) return 'PROCESSING_DESTINATION';
  if (facts.finalizedAtMs !== null) return 'AWAITING_RELAY';
  if (facts.originTxHash !== null) return 'CONFIRMING';
  return 'PENDING_ORIGIN_TX';
}

/**
 * The possible next statuses. `null` is no record: before an operation begins, and after a reorg removed it. A transfer
 * that pays no intent begins as FAILED.
 */
const NEXT: Readonly<Record<OperationStatus | 'NONE', readonly (OperationStatus | null)[]>> = {
  NONE: ['PENDING_ORIGIN_TX', 'CONFIRMING', 'FAILED'],
  PENDING_ORIGIN_TX: ['CONFIRMING', 'EXPIRED'],
  CONFIRMING: ['AWAITING_RELAY', 'PENDING_ORIGIN_TX', 'FAILED', null],
  AWAITING_RELAY: ['PROCESSING_DESTINATION', 'DELAYED', 'FAILED'],
  PROCESSING_DESTINATION: ['COMPLETED', 'DELAYED', 'FAILED'],
  DELAYED: ['PROCESSING_DESTINATION', 'FAILED'],
  COMPLETED: [],
  FAILED: [],
  EXPIRED: [],
};

/** Returns whether a status can follow another. An unchanged status is not a transition. */
export function canTransition(from: OperationStatus | null, to: OperationStatus | null): boolean {
  return NEXT[from ?? 'NONE'].includes(to);
}
