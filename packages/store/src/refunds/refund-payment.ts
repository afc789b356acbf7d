import type { RefundStatus } from '@causeway/protocol';
import type { Address, Hex } from 'viem';
import type { Prisma } from '../generated/prisma/client.js';
import type { RefundPayment } from './refund.js';

/** Approves the refund to this recipient. False when its payment is signed or it has ended. */
export async function approveRefund(
  tx: Prisma.TransactionClient,
  id: Hex,
  recipient: Address,
  approvedBy: Hex,
): Promise<boolean> {
  const where = { id, status: { in: ['REQUESTED', 'APPROVED'] as RefundStatus[] } };
  return (await tx.refund.updateMany({ where, data: { status: 'APPROVED', recipient, approvedBy } })).count === 1;
}

/** Refuses the refund. False when its payment is signed or it has ended. */
export async function refuseRefund(tx: Prisma.TransactionClient, id: Hex): Promise<boolean> {
  const where = { id, status: { in: ['REQUESTED', 'APPROVED'] as RefundStatus[] } };
  return (await tx.refund.updateMany({ where, data: { status: 'REFUSED' } })).count === 1;
}

/** A refund to pay, with its terms. */
export interface PayableRefund extends RefundPayment {
  readonly refundId: Hex;
}

/**
 * Stores the payment of a refund, in the transaction that journals its call. The refund becomes PENDING.
 *
 * @returns false when it is not APPROVED for this recipient. The caller's transaction must fail then.
 */
export async function joinRefund(
  tx: Prisma.TransactionClient,
  { refundId, recipient, paidAmount, gasFee, dust }: PayableRefund,
  txHash: Hex,
): Promise<boolean> {
  const { count } = await tx.refund.updateMany({
    where: { id: refundId, status: 'APPROVED', recipient },
    data: {
      status: 'PENDING',
      paidAmount: paidAmount.toString(),
      gasFee: gasFee.toString(),
      dust: dust.toString(),
      txHash,
    },
  });
  return count === 1;
}

/**
 * Returns a refund to APPROVED after its call ended without paying. Nothing changes when another call pays or paid it,
 * which happens after a reorg reopened this call.
 */
export async function freeRefund(tx: Prisma.TransactionClient, refundId: string, callId: bigint): Promise<void> {
  const another: Prisma.WalletCallWhereInput = {
    id: { not: callId },
    OR: [{ state: 'SUCCEEDED' }, { state: 'PENDING', cancelledAt: null }],
  };
  await tx.refund.updateMany({
    where: { id: refundId, status: 'PENDING', calls: { none: another } },
    data: { status: 'APPROVED', paidAmount: null, gasFee: null, dust: null, txHash: null },
  });
}

/** A refund whose payment is final. `settledAt`: chain time of its block. */
export interface SettledRefund {
  readonly refundId: Hex;
  readonly txHash: Hex;
  readonly settledAt: Date;
}

/** Completes a refund whose payment is final. False when it is not PENDING. */
export async function completeRefund(
  tx: Prisma.TransactionClient,
  { refundId, txHash, settledAt }: SettledRefund,
): Promise<boolean> {
  const { count } = await tx.refund.updateMany({
    where: { id: refundId, status: 'PENDING' },
    data: { status: 'COMPLETED', txHash, settledAt },
  });
  return count === 1;
}
