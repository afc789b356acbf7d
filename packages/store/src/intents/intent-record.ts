import type { Address, Hex } from 'viem';
import type { PaymentWindow } from './payment-window.js';

/** A signed intent with its client's keys. The operation of the same id holds its terms. */
export interface IntentRecord extends PaymentWindow {
  readonly id: Hex;
  readonly sender: Address;
  /** Null after a rebuild, which knows the hash only. */
  readonly nonce: string | null;
  readonly nonceHash: Hex;
  /** Null after a rebuild. */
  readonly idempotencyKey: string | null;
  readonly deadlineSeconds: bigint;
  readonly signature: Hex;
  readonly proposedOriginTxHash: Hex | null;
  /** The nonce of that transaction, if a node had it. */
  readonly proposedOriginNonce: bigint | null;
  /** The wallet that its answer named; null of older intents, and after a rebuild. */
  readonly relayerWallet: Address | null;
  /** The request of operators to reject it. */
  readonly rejectedBy: Hex | null;
}
