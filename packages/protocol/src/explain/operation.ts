import type { Hex } from 'viem';
import type { Asset, Direction } from '../assets.js';
import type { DelayReason, OperationStatus } from '../operations.js';
import { FAILURE_REASONS, type FailureReason } from '../refunds.js';
import { refundStep, transferWithoutIntent, type RefundFact } from './refund.js';
import { CHAIN, CONTRACT, type Finding } from './verdict.js';

/** The fields of a stored operation that a verdict depends on. */
export interface ExplainedOperation {
  readonly id: Hex;
  readonly status: OperationStatus;
  readonly direction: Direction;
  readonly asset: Asset;
  /** In atomic units. */
  readonly amount: bigint;
  readonly originConfirmations: number;
  readonly requiredConfirmations: number;
  readonly holdUntil: Date | null;
  readonly holdReleasedAt: Date | null;
  readonly delayedReason: DelayReason | null;
  readonly nextAttemptAt: Date | null;
  readonly destinationTxHash: Hex | null;
  readonly settlement: { readonly txHash: Hex; readonly credited: boolean } | null;
  readonly failureReason: FailureReason | null;
}

const WAIT = 'Wait: it continues automatically.';

/** Explains an operation from its status, payment window and refund. */
export function explainOperation(
  operation: ExplainedOperation,
  expiresAt: Date | null,
  refund: RefundFact | null,
): Finding {
  const { status, destinationTxHash } = operation;
  switch (status) {
    case 'PENDING_ORIGIN_TX':
      return {
        code: 'AWAITING_PAYMENT',
        message: `The intent is accepted, and no transfer that was read pays it yet${expiresAt === null ? '' : `; its window ends at ${at(expiresAt)}`}.`,
        nextStep:
          'Send the exact amount from the sender to the relayer wallet before the window ends. ' +
          'If you have sent it, do not send it again: ask for the hash of that transfer.',
        until: expiresAt,
      };
    case 'EXPIRED':
      return {
        code: 'EXPIRED',
        message:
          'The intent ended, and no transfer had paid it: its window closed, or its relayer wallet was replaced.',
        nextStep:
          'Send nothing for it: sign a new one. If you have sent a transfer, ask for the hash of that transfer.',
      };
    case 'CONFIRMING':
      return confirming(operation);
    case 'AWAITING_RELAY':
      return awaitingRelay(operation);
    case 'PROCESSING_DESTINATION':
      return {
        code: 'DELIVERING',
        message: `The delivery ${destinationTxHash} is sent and waits for its confirmations.`,
        nextStep: WAIT,
      };
    case 'DELAYED':
      return delayed(operation);
    case 'COMPLETED':
      return completed(operation);
    case 'FAILED':
      return failed(operation, refund);
  }
}

function failed({ failureReason, direction, asset, amount }: ExplainedOperation, refund: RefundFact | null): Finding {
  if (failureReason === 'TRANSFER_UNMATCHED') {
    const side = direction === 'ETHEREUM_TO_PARTNER' ? 'ethereum' : 'partner';
    return transferWithoutIntent(refund, { side, asset, amount });
  }
  const why = failureReason === null ? 'It will not be delivered.' : FAILURE_REASONS[failureReason];
  return { code: 'FAILED', message: `The operation failed. ${why}`, nextStep: refundStep(refund) };
}

function confirming({ direction, originConfirmations, requiredConfirmations }: ExplainedOperation): Finding {
  const code = 'CONFIRMING';
  const missing = requiredConfirmations - originConfirmations;
  const chain = CHAIN[direction === 'ETHEREUM_TO_PARTNER' ? 'ethereum' : 'partner'];
  const message =
    missing > 0
      ? `The transaction is mined and waits for ${missing} more of ${requiredConfirmations} confirmations on ${chain}.`
      : `The transaction has its ${requiredConfirmations} confirmations on ${chain}; the relayer reads it next.`;
  return { code, message, nextStep: WAIT };
}

function awaitingRelay({ holdUntil, holdReleasedAt }: ExplainedOperation): Finding {
  if (holdUntil !== null && holdReleasedAt === null) {
    return {
      code: 'HELD',
      message: `The withdrawal is final and held until ${at(holdUntil)}, as every withdrawal is.`,
      nextStep: WAIT,
      until: holdUntil,
    };
  }
  return {
    code: 'AWAITING_DELIVERY',
    message: 'The operation is final, and the relayer delivers it next.',
    nextStep: WAIT,
  };
}

/** Causes of delays, in words for the sender. */
const DELAYS: Readonly<Record<DelayReason, string>> = {
  FLOAT_SHORT: 'the relayer lacks the coin to deliver it, and the operators have to provide it',
  OUTFLOW_LIMIT: 'the outflow limit of the destination contract has no room for it, and refills with time',
  COLLATERAL_SHORT: 'the destination contract holds less than it has to pay; the operators look into it',
  BACKING_SHORT: 'the collateral does not cover it; the operators look into it',
  PAUSED: 'deliveries are paused on the destination contract',
  NODE_UNAVAILABLE: 'no node of the destination chain answers',
  NODE_REFUSED: 'the node of the destination chain refused the delivery',
  FEES_ABOVE_CAP: 'the gas price of the destination chain is above what the relayer pays',
  ORIGIN_NOT_CONFIRMED: 'the nodes do not confirm its origin at present',
  NONCE_TAKEN: 'the nonce of its delivery was used elsewhere; the operators look into it',
  DESTINATION_REVERTED: 'the destination contract refused the delivery, and it is tried alone',
  DELIVERY_CANCELLED: 'its delivery was cancelled, and the next one follows',
  ATTESTERS_UNAVAILABLE: 'too few attesters have confirmed it yet',
  ATTESTERS_DISAGREE: 'attesters refuse to confirm it; the operators look into it',
  NUMBER_USED_UP: 'another delivery used its number up with other terms; the operators look into it',
};

function delayed({ delayedReason, nextAttemptAt }: ExplainedOperation): Finding {
  const reason = delayedReason === null ? 'the last attempt failed' : DELAYS[delayedReason];
  const again = nextAttemptAt === null ? '' : ` The next attempt is at ${at(nextAttemptAt)} at the latest.`;
  return {
    code: delayedReason === 'OUTFLOW_LIMIT' ? 'OVER_LIMIT' : 'DELAYED',
    message: `The delivery waits: ${reason}.${again}`,
    nextStep:
      delayedReason === 'NUMBER_USED_UP'
        ? 'Ask the operators of the bridge: the relayer cannot try again while that delivery stands.'
        : 'Wait: the relayer tries again until it is delivered.',
    until: nextAttemptAt,
  };
}

function completed({ settlement, direction, destinationTxHash }: ExplainedOperation): Finding {
  const txHash = settlement?.txHash ?? destinationTxHash;
  const side = direction === 'ETHEREUM_TO_PARTNER' ? 'partner' : 'ethereum';
  if (settlement?.credited === true) {
    return {
      code: 'CREDITED',
      message: `The delivery ${txHash} is final, but the recipient did not take it: ${CONTRACT[side]} keeps the amount as a credit.`,
      nextStep: `The recipient claims it from ${CONTRACT[side]} on ${CHAIN[side]}, to an address of its choice.`,
    };
  }
  return {
    code: 'COMPLETED',
    message: `The recipient was paid by ${txHash} on ${CHAIN[side]}, and that is final.`,
    nextStep: 'Nothing is left to do.',
  };
}

function at(time: Date): string {
  return time.toISOString();
}
