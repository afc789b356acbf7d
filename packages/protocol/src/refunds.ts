import { encodeAbiParameters, keccak256, type Hex } from 'viem';
import type { Asset } from './assets.js';

/**
 * Why an operation is `FAILED`, with the message for the user: what happened and what to do next.
 *
 * - `TRANSFER_UNMATCHED`: a transfer to the relayer wallet that pays no intent. It is its own operation.
 * - `SIGNATURE_REVOKED`: the smart account that signed an intent now rejects the signature.
 * - `REJECTED_BY_OPERATORS`: two operators refused an intent after its transfer was final.
 */
export const FAILURE_REASONS = {
  TRANSFER_UNMATCHED:
    'This transfer went to the relayer wallet, where only XCN of an open withdrawal intent belongs. It is not bridged. ' +
    'Follow its refund with refundId, or ask the operators with that id.',
  SIGNATURE_REVOKED:
    'The account does not accept the signature of this intent any more, so nothing was released. ' +
    'Follow the refund of its transfer with refundId; to withdraw, sign a new intent.',
  REJECTED_BY_OPERATORS:
    'The operators of the bridge rejected this withdrawal, so nothing was released. ' +
    'Follow the refund of its transfer with refundId, or ask the operators with that id.',
} as const;

/** A cause of a failure. */
export type FailureReason = keyof typeof FAILURE_REASONS;

/**
 * States of a refund. `COMPLETED` and `REFUSED` are terminal.
 *
 * - `REQUESTED`: waits for operators.
 * - `APPROVED`: enough operators signed; the relayer pays it next.
 * - `PENDING`: the payment is signed or mined, but not final.
 * - `COMPLETED`: the payment is final.
 * - `REFUSED`: enough operators refused it.
 */
export const REFUND_STATUSES = ['REQUESTED', 'APPROVED', 'PENDING', 'COMPLETED', 'REFUSED'] as const;

/** One of the states. */
export type RefundStatus = (typeof REFUND_STATUSES)[number];

/** The fields that identify a transfer to the relayer wallet. */
export interface ArrivalPlace {
  readonly chainId: number;
  readonly txHash: Hex;
  readonly asset: Asset;
  /** Position of the transfer in its transaction; 0 for a plain transfer. */
  readonly callIndex: number;
}

/**
 * Computes the refund id of a transfer: keccak256(abi.encode(chain id, transaction hash, asset, call index)). The
 * failed operation of a transfer that pays no intent has the same id.
 */
export function computeRefundId({ chainId, txHash, asset, callIndex }: ArrivalPlace): Hex {
  return keccak256(
    encodeAbiParameters(
      [{ type: 'uint256' }, { type: 'bytes32' }, { type: 'string' }, { type: 'uint256' }],
      [BigInt(chainId), txHash, asset, BigInt(callIndex)],
    ),
  );
}
