import type { Address, Hex } from 'viem';
import type { OperationStatus } from '../operations.js';
import type { FeeTerms } from './operations.js';
import type { Deliverability } from './quotes.js';

/** Characters of an idempotencyKey at most (specification, Limits). */
export const IDEMPOTENCY_KEY_LENGTH = 128;

/** The body of `POST /bridge/xcn-withdraw-intent`, as a client sends it. */
export interface IntentBody {
  /** The account that signs and pays, on the partner chain; a smart account, too. */
  readonly senderAddress: Address;
  /** The account that is paid, on Ethereum. */
  readonly recipientAddress: Address;
  /** In units of 18 decimals, a multiple of 10^10. */
  readonly amountAtomic: string;
  /** Of the client: the same key and body give the same answer. */
  readonly idempotencyKey: string;
  /** As signed: Unix seconds until which the intent may be registered. */
  readonly deadline: number;
  /** As signed: any Unicode text without NUL. */
  readonly nonce: string;
  /** Of the EIP-712 typed data. Of a smart account: its bytes for ERC-1271, also in ERC-6492. */
  readonly signature: Hex;
}

/** The answer to an accepted intent, with the terms fixed for it. */
export interface IntentResponse extends Deliverability {
  /** The EIP-712 digest that was signed. */
  readonly intentId: Hex;
  /** The receiver of a plain native transfer of `amountAtomic` from senderAddress. */
  readonly relayerWalletAddress: Address;
  readonly status: OperationStatus;
  readonly amountAtomic: string;
  readonly amountFormatted: string;
  /** Fixed for this intent. */
  readonly fee: FeeTerms;
  /** Delivered to the recipient, in atomic units. */
  readonly outputAmount: string;
  readonly outputAmountFormatted: string;
  /** ISO 8601 in UTC. A transfer in a later block pays nothing. */
  readonly expiresAt: string;
}

/** The body of `POST /bridge/xcn-withdraw-intent/bind-origin`: the transaction that pays an intent. */
export interface BindOriginBody {
  /** From the answer to the intent. */
  readonly intentId: Hex;
  /** Of the intent. */
  readonly senderAddress: Address;
  /** The transaction that pays it, or the hash of the user operation that does. */
  readonly originTxHash: Hex;
}

/** The answer to bind-origin: the intent, the proposed or bound transaction, and the status. */
export interface BindOriginResponse {
  readonly intentId: Hex;
  readonly originTxHash: Hex;
  readonly status: OperationStatus;
}
