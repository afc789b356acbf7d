import type { Environment } from '@causeway/protocol';
import type { Address, Hex } from 'viem';

/** The version of the form of a record. A package reads its own version and all older ones. */
export const RECORD_VERSION = 1;

/** How a transfer begins. A claim takes a credit out of a contract on the destination chain. */
export const TRANSFER_KINDS = ['DEPOSIT', 'BURN', 'WITHDRAW_NATIVE', 'INTENT', 'CLAIM'] as const;
/** One of the kinds. */
export type TransferKind = (typeof TRANSFER_KINDS)[number];

/** A signature. The same terms are signed again after a crash, so that only one of the signatures can ever be used. */
export interface SignStep {
  readonly step: 'sign';
  readonly what: 'authorization' | 'permit' | 'intent';
  /** `asked`: the wallet was asked, and its answer is not known. */
  readonly state: 'planned' | 'asked' | 'done';
  /** Name and version of the EIP-712 domain. */
  readonly domain: { readonly name: string; readonly version: string };
  /** The salt of an authorization, the nonce of a permit or of an intent. */
  readonly nonce: string;
  /** Unix seconds. */
  readonly deadline: number;
  readonly signature?: Hex;
}

/** A transaction. */
export interface SendStep {
  readonly step: 'send';
  readonly what: 'approval' | 'transfer' | 'payment';
  /** `asked`: the wallet was asked to send it, and whether it did is not known. `sent`: it has this hash. */
  readonly state: 'planned' | 'asked' | 'sent' | 'done' | 'failed';
  /** Of the account; only where the wallet keeps it, or once the transaction was seen. */
  readonly nonce?: number;
  readonly hash?: Hex;
}

/** An approval and a deposit together, by EIP-5792. A wallet never sends two batches of one id. */
interface BatchStep {
  readonly step: 'batch';
  readonly state: 'planned' | 'asked' | 'done' | 'failed';
  /** Of this package; the wallet's where it chose another one. */
  readonly callsId: string;
  readonly hash?: Hex;
}

/** The registration of an intent. It may be repeated: the same intent is the same id. */
export interface RegisterStep {
  readonly step: 'register';
  readonly state: 'planned' | 'done';
  readonly intentId?: Hex;
  readonly relayerWallet?: Address;
  /** ISO 8601. */
  readonly expiresAt?: string;
}

/** Names the payment of an intent to the bridge. It may be repeated. */
interface BindStep {
  readonly step: 'bind';
  readonly state: 'planned' | 'done';
}

/** One step of a transfer. */
export type Step = SignStep | SendStep | BatchStep | RegisterStep | BindStep;

/**
 * Everything that is needed to continue a transfer elsewhere. It has no secret: its signatures serve only this
 * transfer. Calls are written from these terms, and never taken from a record.
 */
export interface TransferRecord {
  readonly version: typeof RECORD_VERSION;
  readonly id: string;
  /** Counts up with every change. */
  readonly revision: number;
  readonly environment: Environment;
  readonly kind: TransferKind;
  readonly asset: string;
  /** Atomic units. */
  readonly amount: string;
  /** The highest fee that the sender accepts, in atomic units; 0 for deposits and claims. */
  readonly maxFee: string;
  readonly sender: Address;
  readonly recipient: Address;
  /** Of the chain on which all steps happen. */
  readonly chainId: number;
  /** The contract of the bridge there. */
  readonly contract: Address;
  /** There; the zero address for the coin. */
  readonly token: Address;
  /** Nothing of the transfer is in an earlier block. */
  readonly fromBlock: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly steps: readonly Step[];
  /** Shows a change by mistake, not one on purpose. */
  readonly checksum: Hex;
}
