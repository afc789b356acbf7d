import type { TimingTerms } from '@causeway/protocol';
import type { Operation } from '@causeway/store';

/** Best-effort time at which an operation will be complete; null when it waits for its sender, or has ended. */
export function estimateCompletion(operation: Operation, timing: TimingTerms, nowMs: number): Date | null {
  const inbound = operation.direction === 'ETHEREUM_TO_PARTNER';
  const { ethereum, partner } = timing.blockSeconds;
  const originBlockMs = (inbound ? ethereum : partner) * 1000;
  const destinationMs =
    (inbound ? timing.partnerConfirmations * partner : timing.ethereumConfirmations * ethereum) * 1000;
  switch (operation.status) {
    case 'CONFIRMING': {
      const missing = Math.max(0, operation.requiredConfirmations - operation.originConfirmations);
      const holdMs = inbound ? 0 : timing.holdSeconds * 1000;
      return new Date(nowMs + missing * originBlockMs + holdMs + destinationMs);
    }
    case 'AWAITING_RELAY':
    case 'DELAYED':
      return new Date(Math.max(nowMs, operation.holdUntil?.getTime() ?? 0) + destinationMs);
    case 'PROCESSING_DESTINATION':
      return new Date(nowMs + destinationMs);
    case 'PENDING_ORIGIN_TX':
    case 'COMPLETED':
    case 'FAILED':
    case 'EXPIRED':
      return null;
  }
}
