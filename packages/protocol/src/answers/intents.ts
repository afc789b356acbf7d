import type { Address, Hex } from 'viem';
import type { OperationStatus } from '../operations.js';
import type { FeeTerms } from './operations.js';
import type { Deliverability } from './quotes.js';

/** Maximum characters of an `idempotencyKey` (specification, Limits). */
export const IDEMPOTENCY_KEY_LENGTH = 128;

/** The body of `POST /bridge/xcn-withdraw-intent`, as a client sends it. */
export interface IntentBody {
  /** The account that signs and pays on the partner chain, an EOA or a smart account. */
  readonly senderAddress: Address;
  /** The receiving account on Ethereum. */
  readonly recipientAddress: Address;
  /** In 18-decimal units, a multiple of 10^10. */
  readonly amountAtomic: string;
  /** Chosen by the client. The same key with the same body returns the same answer. */
  readonly idempotencyKey: string;
  /** Part of the signed message: Unix seconds until which the intent can be registered. */
  readonly deadline: number;
  /** Part of the signed message: any Unicode text without NUL. */
  readonly nonce: string;
  /** Over the EIP-712 typed data. Smart accounts: the bytes for ERC-1271, optionally wrapped by ERC-6492. */
  readonly signature: Hex;
}

/** The answer to an accepted intent, with its fixed terms. */
export interface IntentResponse extends Deliverability {
  /** The signed EIP-712 digest. */
  readonly intentId: Hex;
  /** Send a plain native transfer of `amountAtomic` from senderAddress to this address. */
  readonly relayerWalletAddress: Address;
  readonly status: OperationStatus;
  readonly amountAtomic: string;
  readonly amountFormatted: string;
  /** Fixed for this intent. */
  readonly fee: FeeTerms;
  /** Delivered to the recipient, in atomic units. */
  readonly outputAmount: string;
  readonly outputAmountFormatted: string;
  /** ISO 8601 in UTC. A transfer in a later block does not pay the intent. */
  readonly expiresAt: string;
}

/** The body of `POST /bridge/xcn-withdraw-intent/bind-origin`: the transaction that pays an intent. */
export interface BindOriginBody {
  /** `intentId` of the answer to the intent. */
  readonly intentId: Hex;
  /** Sender of the intent. */
  readonly senderAddress: Address;
  /** Hash of the transaction or user operation that pays the intent. */
  readonly originTxHash: Hex;
}

/** The answer to bind-origin: the intent, the proposed or bound transaction, and the status. */
export interface BindOriginResponse {
  readonly intentId: Hex;
  readonly originTxHash: Hex;
  readonly status: OperationStatus;
}
