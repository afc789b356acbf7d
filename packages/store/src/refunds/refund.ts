import type { Asset, RefundStatus } from '@causeway/protocol';
import type { Address, Hex } from 'viem';
import type { Refund as RefundModel } from '../generated/prisma/client.js';

/** The payment of a refund, fixed when it is signed. Together its amounts are those that arrived. */
export interface RefundPayment {
  readonly recipient: Address;
  readonly paidAmount: bigint;
  /** Kept for the gas of a payment of ETH on Ethereum. */
  readonly gasFee: bigint;
  /** Lost by rounding to the units of the chain. */
  readonly dust: bigint;
}

/** An arrival for an operation that FAILED, to be paid back. Amounts in atomic units. */
export interface Refund {
  readonly id: Hex;
  readonly operationId: Hex;
  readonly chainId: number;
  readonly asset: Asset;
  /** The relayer wallet that received it. */
  readonly wallet: Address;
  readonly payer: Address;
  /** The amount that arrived. */
  readonly amount: bigint;
  readonly status: RefundStatus;
  /** The one that the operators named; null before they approved. */
  readonly recipient: Address | null;
  /** The request of operators that allows its payment. Verify its approvals before each payment. */
  readonly approvedBy: Hex | null;
  /** Null until the payment is signed. */
  readonly payment: RefundPayment | null;
  readonly txHash: Hex | null;
  readonly settledAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Converts a row. */
export function toRefund(row: RefundModel): Refund {
  const recipient = row.recipient as Address | null;
  return {
    id: row.id as Hex,
    operationId: row.operationId as Hex,
    chainId: row.chainId,
    asset: row.asset,
    wallet: row.wallet as Address,
    payer: row.payer as Address,
    amount: toUnits(row.amount),
    status: row.status,
    recipient,
    approvedBy: row.approvedBy as Hex | null,
    payment:
      recipient === null || row.paidAmount === null || row.gasFee === null || row.dust === null
        ? null
        : { recipient, paidAmount: toUnits(row.paidAmount), gasFee: toUnits(row.gasFee), dust: toUnits(row.dust) },
    txHash: row.txHash as Hex | null,
    settledAt: row.settledAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

function toUnits(amount: { readonly toFixed: (digits: number) => string }): bigint {
  return BigInt(amount.toFixed(0));
}
