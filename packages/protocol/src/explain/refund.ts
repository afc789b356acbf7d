import type { Hex } from 'viem';
import type { RefundStatus } from '../refunds.js';
import type { Finding } from './verdict.js';

/** The refund of a transfer or operation. */
export interface RefundFact {
  readonly id: Hex;
  readonly status: RefundStatus;
}

const UNBOUND =
  'Do not send it again. The relayer may still find the intent that it pays. If there is none, ' +
  'the transfer becomes a failed operation with a refund when its block is final.';

/** The verdict about a payment to the relayer wallet that pays no intent. */
export function transferWithoutIntent(refund: RefundFact | null): Finding {
  return {
    code: 'TRANSFER_WITHOUT_INTENT',
    message: 'The transaction paid the relayer wallet, and no intent is bound to it.',
    nextStep: refund === null ? UNBOUND : refundStep(refund),
  };
}

/** The verdict of a paid refund, which ends everything else; null when it is not paid. */
export function refundFinding(refund: RefundFact | null): Finding | null {
  if (refund?.status !== 'COMPLETED') return null;
  return { code: 'REFUNDED', message: `The refund ${refund.id} of it was paid.`, nextStep: 'Nothing is left to do.' };
}

/** What the payer should do while the refund is not paid; null when there is none yet. */
export function refundStep(refund: RefundFact | null): string {
  switch (refund?.status) {
    case undefined:
      return 'Do not send it again. The operators keep it for a refund: give them this hash.';
    case 'REQUESTED':
      return `Wait: the operators have to approve the refund ${refund?.id}.`;
    case 'APPROVED':
    case 'PENDING':
    case 'COMPLETED':
      return `Wait: the refund ${refund?.id} is approved, and the relayer pays it.`;
    case 'REFUSED':
      return `The operators refused the refund ${refund?.id}: ask them for the reason.`;
  }
}
