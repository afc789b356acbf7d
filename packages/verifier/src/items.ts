import type { Address, Hex } from 'viem';
import type { MintPayment, ReleasePayment } from './digests/attestation-digest.js';
import type { Intent } from './digests/ids.js';
import type { RefundApproval } from './digests/refund-approval.js';

/** Where an operation or a refund began. The block number is a hint: everything else is proven from it. */
export interface Origin {
  readonly blockNumber: bigint;
  readonly transactionHash: Hex;
}

/** The origin of native coin: a plain transfer, or a call inside a transaction. */
export interface TransferOrigin extends Origin {
  /** 0 for the transaction itself; otherwise the call's position among all calls, in the order in which they began. */
  readonly callIndex: number;
}

/** A delivery that a relayer wants to make. Addresses and hashes are lower-case. */
export type Delivery =
  | { readonly kind: 'MINT'; readonly id: Hex; readonly origin: Origin; readonly payment: MintPayment }
  | { readonly kind: 'RELEASE'; readonly id: Hex; readonly origin: Origin; readonly payment: ReleasePayment }
  | IntentDelivery;

/** The release of an intent. */
export interface IntentDelivery {
  readonly kind: 'INTENT';
  readonly id: Hex;
  readonly origin: TransferOrigin;
  readonly intent: Intent;
  readonly fee: bigint;
  /** The block of BridgeMint's chain at which the API read the policy and asked the sender's account. */
  readonly judgedAtBlock: bigint;
}

/** A refund on the partner chain that a relayer wants to pay. Addresses and hashes are lower-case. */
export interface RefundItem {
  readonly id: Hex;
  /** For a token, `callIndex` is the position in the block of its transfer's log. */
  readonly arrival: TransferOrigin;
  /** The relayer wallet that received the transfer. */
  readonly wallet: Address;
  /** The zero address for native XCN. */
  readonly token: Address;
  readonly recipient: Address;
  /** The amount to pay: the whole transferred amount. */
  readonly amount: bigint;
  readonly approval: RefundApproval;
}
