import { formatAmount } from '@causeway/protocol';
import type { AdminOperationRow } from '@causeway/protocol/admin';
import type { Operation } from '@causeway/store';

/** Converts a stored operation to a row of the list. */
export function toOperationRow(operation: Operation): AdminOperationRow {
  const { id, kind, asset, direction, status, amount, fee, outputAmount, sender, recipient } = operation;
  return {
    id,
    kind,
    asset,
    direction,
    status,
    delayedReason: status === 'DELAYED' ? operation.delayedReason : null,
    failureReason: operation.failureReason,
    amount: amount.toString(),
    amountFormatted: formatAmount(asset, amount),
    fee: fee.toString(),
    outputAmount: outputAmount.toString(),
    outputAmountFormatted: formatAmount(asset, outputAmount),
    sender,
    recipient,
    originTxHash: operation.origin?.txHash ?? null,
    destinationTxHash: operation.destinationTxHash,
    originConfirmations: operation.originConfirmations,
    requiredConfirmations: operation.requiredConfirmations,
    createdAt: operation.createdAt.toISOString(),
    updatedAt: operation.updatedAt.toISOString(),
  };
}
