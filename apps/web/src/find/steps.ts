import type { BridgeOperationResponse } from '@causeway/sdk';
import type { TimelineEntry } from '@causeway/ui/components';
import { TRANSFER } from '../words/transfer.js';
import type { ChainTimes } from './chain-times.js';
import { getKind } from './kinds.js';

const words = TRANSFER.steps;

/**
 * The steps of a transfer with the times of their blocks; where no node tells them, those of the API. Steps to come
 * have no time.
 */
export function listSteps(
  operation: BridgeOperationResponse,
  origin: ChainTimes | null,
  delivery: ChainTimes | null,
): readonly TimelineEntry[] {
  const { status, originTxHash, destinationTxHash, settlement, delayedReason, createdAt, updatedAt } = operation;
  const kind = getKind(operation);
  const step = (key: keyof typeof words, at: string | null, title = words[key] as string): TimelineEntry => ({
    key,
    title,
    at,
  });
  const sent = originTxHash === null ? null : (origin?.minedAt ?? (kind === 'INTENT' ? null : createdAt));
  const steps = [...(kind === 'INTENT' ? [step('signed', createdAt)] : []), step('sent', sent)];
  if (status === 'EXPIRED') return [step('signed', createdAt), step('expired', updatedAt)];
  if (kind !== 'TRANSFER') {
    const isFinal = operation.originConfirmations >= operation.requiredConfirmations;
    const finalAt = isFinal ? (origin?.finalAt ?? null) : null;
    steps.push({ ...step('final', finalAt, words.final(operation.requiredConfirmations)), isDone: isFinal });
  }
  if (status === 'FAILED') return [...steps, step('failed', updatedAt)];
  if (operation.holdUntil !== null) steps.push(step('held', null));
  if (delayedReason !== null) steps.push(step('delayed', operation.delayedSince));
  const delivered = destinationTxHash === null ? null : (delivery?.minedAt ?? settlement?.settledAt ?? null);
  return [...steps, step('delivered', delivered), step('settled', settlement?.settledAt ?? null)];
}
