import type { Asset, RefundStatus } from '@causeway/protocol';
import type { Address, Hex } from 'viem';
import type { Refund as RefundModel } from '../generated/prisma/client.js';

/** The payment of a refund, fixed when it is signed. Its amounts add up to the refund's `amount`. */
export interface RefundPayment {
  readonly recipient: Address;
  readonly paidAmount: bigint;
  /** Withheld for the gas of paying ETH on Ethereum. */
  readonly gasFee: bigint;
  /** Lost by rounding to the units of the chain. */
  readonly dust: bigint;
}

/** The refund of a FAILED operation's transfer. Amounts in atomic units. */
export interface Refund {
  readonly id: Hex;
  readonly operationId: Hex;
  readonly chainId: number;
  readonly asset: Asset;
  /** The relayer wallet that received the transfer. */
  readonly wallet: Address;
  readonly payer: Address;
  /** The amount of the transfer. */
  readonly amount: bigint;
  readonly status: RefundStatus;
  /** The recipient that the operators approved; null before. */
  readonly recipient: Address | null;
  /** The operators' request that approved the payment. Verify its approvals before each payment. */
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
