import type { Hex } from 'viem';
import { formatAmount, type Asset } from '../assets.js';
import type { Side } from '../chains.js';
import type { RefundStatus } from '../refunds.js';
import { CHAIN, type Finding } from './verdict.js';

/** The refund of a transfer or operation. */
export interface RefundFact {
  readonly id: Hex;
  readonly status: RefundStatus;
}

/** A transfer to the relayer wallet. `amount` in atomic units of the asset. */
export interface WalletTransfer {
  readonly side: Side;
  readonly asset: Asset;
  readonly amount: bigint;
}

const NOT_A_DEPOSIT =
  'Do not send it again. It becomes a failed operation with a refund when its block is final: the operators pay it ' +
  'back on the same chain, of ETH on Ethereum less the gas. Ask them with this hash.';
const UNBOUND =
  'Do not send it again. The relayer may still find the intent that it pays. If there is none, ' +
  'the transfer becomes a failed operation with a refund when its block is final.';

/** Explains a payment to the relayer wallet that pays no intent. `transfer`: null if unknown. */
export function transferWithoutIntent(refund: RefundFact | null, transfer: WalletTransfer | null): Finding {
  const code = 'TRANSFER_WITHOUT_INTENT';
  const what = transfer === null ? '' : ` ${formatAmount(transfer.asset, transfer.amount)} ${transfer.asset} to`;
  const where = transfer === null ? '' : ` on ${CHAIN[transfer.side]}`;
  // Only native XCN pays an intent.
  const mayPay = transfer === null || (transfer.side === 'partner' && transfer.asset === 'XCN');
  const message = mayPay
    ? `The transaction paid${what} the relayer wallet${where}, and no intent is bound to it.`
    : `The transaction sent${what} the relayer wallet${where}, which takes no deposits: it is not bridged.`;
  return { code, message, nextStep: refund !== null ? refundStep(refund) : mayPay ? UNBOUND : NOT_A_DEPOSIT };
}

/** Explains a paid refund, which overrides every other verdict; null for an unpaid refund. */
export function refundFinding(refund: RefundFact | null): Finding | null {
  if (refund?.status !== 'COMPLETED') return null;
  return { code: 'REFUNDED', message: `The refund ${refund.id} of it was paid.`, nextStep: 'Nothing is left to do.' };
}

/** Returns the next step of the payer while the refund is unpaid. */
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
