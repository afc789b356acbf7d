import type { Address, Hex } from 'viem';
import type { Asset } from '../assets.js';
import type { RefundStatus } from '../refunds.js';

/** The payment of a refund. Amounts in atomic units. */
export interface RefundPayment {
  /** The account that receives the refund: the payer of the transfer. */
  readonly recipient: Address;
  /** The amount that arrived minus `gasFee`, rounded down to the units of the chain. */
  readonly amount: string;
  readonly amountFormatted: string;
  /** Deducted for gas when ETH is refunded on Ethereum, in units of the asset; 0 otherwise. */
  readonly gasFee: string;
  /** The remainder that rounding leaves in the wallet. */
  readonly dust: string;
  /** Null until the transaction is signed. */
  readonly txHash: Hex | null;
}

/** The body of `GET /bridge/refunds/{id}`: the refund of a transfer that was not bridged. */
export interface RefundResponse {
  readonly id: Hex;
  /** The failed operation. */
  readonly operationId: Hex;
  readonly status: RefundStatus;
  /** The chain on which the transfer arrived and the refund is paid. */
  readonly chainId: number;
  readonly asset: Asset;
  /** The account that sent the transfer. */
  readonly payer: Address;
  /** The amount that arrived, in atomic units. */
  readonly amount: string;
  readonly amountFormatted: string;
  /** Fixed when the payment is signed; null before that. */
  readonly payment: RefundPayment | null;
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
}
