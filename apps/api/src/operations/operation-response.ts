import {
  FAILURE_REASONS,
  formatAmount,
  isTerminal,
  type BridgeOperationResponse,
  type TimingTerms,
} from '@causeway/protocol';
import type { Operation } from '@causeway/store';
import type { Payable } from '../payable-wallets.js';

/** Inputs of a response in addition to the operation's row. */
export interface Moment {
  readonly timing: TimingTerms;
  readonly nowMs: number;
  /** No relayer works. */
  readonly isRelayerAway: boolean;
  /** A chain makes no blocks. */
  readonly isChainStill: boolean;
}

/** Converts a stored operation to the specification's BridgeOperationResponse. */
export function toOperationResponse(
  operation: Operation,
  moment: Moment,
  payable: Payable = { relayerWalletAddress: null, unpayableReason: null },
): BridgeOperationResponse {
  const { id, kind, asset, direction, amount, fee, outputAmount, settlement } = operation;
  const held = operation.status === 'AWAITING_RELAY' && operation.holdReleasedAt === null;
  return {
    id,
    asset,
    direction,
    status: operation.status,
    amount: amount.toString(),
    amountFormatted: formatAmount(asset, amount),
    fee:
      direction === 'ETHEREUM_TO_PARTNER'
        ? null
        : { amount: fee.toString(), formatted: formatAmount(asset, fee), bps: operation.feeBps },
    outputAmount: outputAmount.toString(),
    outputAmountFormatted: formatAmount(asset, outputAmount),
    originChainId: operation.originChainId,
    destinationChainId: operation.destinationChainId,
    originTxHash: operation.origin?.txHash ?? null,
    destinationTxHash: operation.destinationTxHash,
    depositId: kind === 'DEPOSIT' ? id : null,
    // An intent's digest is the withdrawId of its Release. A transfer that was not bridged has neither.
    withdrawId: kind === 'DEPOSIT' || kind === 'TRANSFER' ? null : id,
    intentId: kind === 'INTENT' ? id : null,
    sender: operation.sender,
    recipient: operation.recipient,
    originConfirmations: operation.originConfirmations,
    requiredConfirmations: operation.requiredConfirmations,
    estimatedCompletionTime: estimateCompletion(operation, moment)?.toISOString() ?? null,
    quotedCompletionTime: operation.quotedCompletionAt?.toISOString() ?? null,
    ...payable,
    stalledReason: moment.isRelayerAway && !isTerminal(operation.status) ? 'RELAYER_AWAY' : null,
    holdUntil: held ? (operation.holdUntil?.toISOString() ?? null) : null,
    settlement:
      settlement === null
        ? null
        : {
            chainId: operation.destinationChainId,
            txHash: settlement.txHash,
            blockNumber: Number(settlement.blockNumber),
            recipient: operation.recipient,
            amount: outputAmount.toString(),
            amountFormatted: formatAmount(asset, outputAmount),
            settledAt: settlement.settledAt.toISOString(),
            credited: settlement.credited,
          },
    delayedReason: operation.status === 'DELAYED' ? operation.delayedReason : null,
    delayedSince: operation.delayedSince?.toISOString() ?? null,
    failureReason: operation.failureReason,
    failureMessage: operation.failureReason === null ? null : FAILURE_REASONS[operation.failureReason],
    refundId: operation.refundId,
    otherOperationIds: [],
    createdAt: operation.createdAt.toISOString(),
    updatedAt: operation.updatedAt.toISOString(),
  };
}

/**
 * Estimates when an operation will be complete, counted from its last step.
 *
 * @returns null when unknown: the operation waits for its sender, is delayed, has ended or takes longer than usual; or
 *   no relayer works, or a chain stands still.
 */
export function estimateCompletion(operation: Operation, moment: Moment): Date | null {
  const { timing, nowMs, isRelayerAway, isChainStill } = moment;
  const endMs = isRelayerAway || isChainStill ? null : usualEnd(operation, timing);
  return endMs === null || endMs <= nowMs ? null : new Date(endMs);
}

function usualEnd(operation: Operation, timing: TimingTerms): number | null {
  const inbound = operation.direction === 'ETHEREUM_TO_PARTNER';
  const { ethereum, partner } = timing.blockSeconds;
  const originBlockMs = (inbound ? ethereum : partner) * 1000;
  const destinationMs =
    (inbound ? timing.partnerConfirmations * partner : timing.ethereumConfirmations * ethereum) * 1000;
  const seenMs = operation.updatedAt.getTime();
  switch (operation.status) {
    case 'CONFIRMING': {
      const missing = Math.max(0, operation.requiredConfirmations - operation.originConfirmations);
      const holdMs = inbound ? 0 : timing.holdSeconds * 1000;
      return seenMs + missing * originBlockMs + holdMs + destinationMs;
    }
    case 'AWAITING_RELAY':
      return Math.max(seenMs, operation.holdUntil?.getTime() ?? 0) + destinationMs;
    case 'PROCESSING_DESTINATION':
      return seenMs + destinationMs;
    case 'PENDING_ORIGIN_TX':
    case 'DELAYED':
    case 'COMPLETED':
    case 'FAILED':
    case 'EXPIRED':
      return null;
  }
}
