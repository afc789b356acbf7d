import { formatAmount, type BridgeOperationResponse, type TimingTerms } from '@causeway/protocol';
import type { Operation } from '@causeway/store';
import type { Hex } from 'viem';
import { estimateCompletion } from './estimate-completion.js';

/** The stored operation as the specification's BridgeOperationResponse. */
export function toOperationResponse(
  operation: Operation,
  timing: TimingTerms,
  nowMs: number,
  otherOperationIds: readonly Hex[] = [],
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
    // An intent's digest is the withdrawId of its Release.
    withdrawId: kind === 'DEPOSIT' ? null : id,
    intentId: kind === 'INTENT' ? id : null,
    sender: operation.sender,
    recipient: operation.recipient,
    originConfirmations: operation.originConfirmations,
    requiredConfirmations: operation.requiredConfirmations,
    estimatedCompletionTime: estimateCompletion(operation, timing, nowMs)?.toISOString() ?? null,
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
            claimable: settlement.claimable,
          },
    delayedReason: operation.status === 'DELAYED' ? operation.delayedReason : null,
    failureReason: operation.failureReason,
    otherOperationIds: [...otherOperationIds],
    createdAt: operation.createdAt.toISOString(),
    updatedAt: operation.updatedAt.toISOString(),
  };
}
