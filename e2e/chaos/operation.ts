import type { Asset } from '@causeway/protocol';
import type { Address, Hex } from 'viem';
import type { Side } from './network/service-links.ts';

/** Kinds of operations. A mistake is a transfer to the relayer wallet that pays no intent. */
type Kind = 'deposit' | 'burn' | 'withdrawal' | 'intent' | 'mistake';

/** An operation that a user sent. */
export interface SentOperation {
  readonly kind: Kind;
  readonly asset: Asset;
  /** Where the user paid. */
  readonly side: Side;
  /** Paid by the sender, in atomic units. */
  readonly amount: bigint;
  readonly sender: Address;
  /** Receives the delivery, or the refund of a mistake. */
  readonly recipient: Address;
  readonly originTxHash: Hex;
  /** Only for an intent: other ids are in chain events. */
  readonly intentId?: Hex;
}

/** The operators' decision on a mistake. */
export interface DecidedRefund {
  readonly id: Hex;
  /** Atomic units that the payer got back; 0 when it was refused. */
  readonly paid: bigint;
}
