import type { Environment } from '@causeway/protocol';
import type { Address, Hex } from 'viem';

/** Version of the record format. */
export const RECORD_VERSION = 1;

/** Kinds of transfers. A claim withdraws a credit from a contract on the destination chain. */
export const TRANSFER_KINDS = ['DEPOSIT', 'BURN', 'WITHDRAW_NATIVE', 'INTENT', 'CLAIM'] as const;
/** One of the kinds. */
export type TransferKind = (typeof TRANSFER_KINDS)[number];

/** A signature. After a crash the same terms are signed again, so that only one of the signatures can be used. */
export interface SignStep {
  readonly step: 'sign';
  readonly what: 'authorization' | 'permit' | 'intent';
  /** `asked`: the wallet was asked and its answer is unknown. */
  readonly state: 'planned' | 'refused' | 'asked' | 'done';
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
  /** `asked`: the wallet was asked and may or may not have sent it. `sent`: sent with this hash. `done`: mined. */
  readonly state: 'planned' | 'refused' | 'asked' | 'sent' | 'done' | 'failed';
  /** Nonce of the transaction, if the wallet uses the given one or the transaction was seen. */
  readonly nonce?: number;
  /**
   * The account's nonce before a wallet with a window was asked: the transaction's is not lower. Absent for accounts
   * with code, whose nonce proves nothing.
   */
  readonly nonceBefore?: number;
  readonly hash?: Hex;
  /** The mined transaction that used its nonce and is not this transfer. */
  readonly replacedBy?: Hex;
}

/** An approval and a deposit as one EIP-5792 batch. A wallet never sends two batches with one id. */
interface BatchStep {
  readonly step: 'batch';
  /** `sent`: the wallet has accepted it. */
  readonly state: 'planned' | 'refused' | 'asked' | 'sent' | 'done' | 'failed';
  /** Chosen by this package, or the wallet's own id. */
  readonly callsId: string;
  readonly hash?: Hex;
}

/** The registration of an intent. It is idempotent: the same intent has the same id. */
export interface RegisterStep {
  readonly step: 'register';
  readonly state: 'planned' | 'done';
  readonly intentId?: Hex;
  readonly relayerWallet?: Address;
  /** ISO 8601. */
  readonly expiresAt?: string;
}

/** Names the payment of an intent to the bridge. It is idempotent. */
interface BindStep {
  readonly step: 'bind';
  readonly state: 'planned' | 'done';
}

/** One step of a transfer. */
export type Step = SignStep | SendStep | BatchStep | RegisterStep | BindStep;

/**
 * All data needed to continue a transfer elsewhere. It contains no secret: its signatures serve only this transfer.
 * Calls are always built from these terms, never stored.
 */
export interface TransferRecord {
  readonly version: typeof RECORD_VERSION;
  readonly id: string;
  /** Increases with every change. */
  readonly revision: number;
  readonly environment: Environment;
  readonly kind: TransferKind;
  readonly asset: string;
  /** Atomic units. */
  readonly amount: string;
  /** Maximum fee that the sender accepts, in atomic units; 0 for deposits and claims. */
  readonly maxFee: string;
  readonly sender: Address;
  readonly recipient: Address;
  /** Chain of all steps. */
  readonly chainId: number;
  /** Bridge contract on that chain. */
  readonly contract: Address;
  /** Token on that chain; the zero address for the coin. */
  readonly token: Address;
  /** No transaction of the transfer is in an earlier block. */
  readonly fromBlock: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly steps: readonly Step[];
  /** Detects accidental changes, not deliberate ones. */
  readonly checksum: Hex;
}

/**
 * The state of a transfer, judging by its record.
 *
 * - `PLANNED`: the wallet was never asked.
 * - `REFUSED`: the user refused the last request, and no funds have moved.
 * - `ASKED`: the wallet was asked or has signed, and may still send.
 * - `SENT`: the transaction that begins the transfer has a known hash, pending or mined.
 * - `ENDED`: that transaction failed. Nothing more happens.
 */
export type TransferState = 'PLANNED' | 'REFUSED' | 'ASKED' | 'SENT' | 'ENDED';

/** Returns the state of a transfer, judging by its record. Pure. */
export function getTransferState({ steps }: Pick<TransferRecord, 'steps'>): TransferState {
  const has = (...states: readonly Step['state'][]) => steps.some(({ state }) => states.includes(state));
  const isSent = (step: Step) =>
    (step.step === 'send' && step.what !== 'approval' && (step.state === 'sent' || step.state === 'done')) ||
    (step.step === 'batch' && step.state === 'done');
  if (has('failed')) return 'ENDED';
  if (steps.some(isSent)) return 'SENT';
  if (has('asked')) return 'ASKED';
  if (has('refused')) return 'REFUSED';
  return has('sent', 'done') ? 'ASKED' : 'PLANNED';
}

/** Returns whether a page can resume a transfer without a click. For others it offers to send again or discard. */
export function isBegun(record: Pick<TransferRecord, 'steps'>): boolean {
  return ['ASKED', 'SENT'].includes(getTransferState(record));
}
