import type { Hex } from 'viem';

/**
 * Verdicts about a hash: first those of a transaction without an operation, then those of an operation.
 *
 * - `NOT_FOUND`: neither a transaction on a chain nor the id of an operation.
 * - `NOT_MINED`: pending.
 * - `REPLACED`: another transaction of the relayer wallet used its nonce.
 * - `REVERTED`: mined and reverted, so only gas was spent. `BELOW_MINIMUM`: reverted for that reason.
 * - `OTHER_CONTRACT`: sent to another account. `NO_OPERATION`: sent to the bridge without beginning an operation.
 * - `TRANSFER_WITHOUT_INTENT`: a payment to the relayer wallet that pays no intent.
 * - `AWAITING_PAYMENT`, `EXPIRED`: an unpaid intent, during and after its payment window.
 * - `CONFIRMING`, `HELD`, `AWAITING_DELIVERY`, `DELIVERING`: in progress.
 * - `OVER_LIMIT`, `DELAYED`: delayed; the relayer retries.
 * - `COMPLETED`, `CREDITED`: paid to the recipient, or credited because the recipient rejected the payment.
 * - `FAILED`, `REFUNDED`: will never be delivered; the refund was paid.
 */
export const VERDICT_CODES = [
  'NOT_FOUND',
  'NOT_MINED',
  'REPLACED',
  'REVERTED',
  'BELOW_MINIMUM',
  'OTHER_CONTRACT',
  'NO_OPERATION',
  'TRANSFER_WITHOUT_INTENT',
  'AWAITING_PAYMENT',
  'EXPIRED',
  'CONFIRMING',
  'HELD',
  'AWAITING_DELIVERY',
  'DELIVERING',
  'OVER_LIMIT',
  'DELAYED',
  'COMPLETED',
  'CREDITED',
  'FAILED',
  'REFUNDED',
] as const;

/** One of the verdicts. */
export type VerdictCode = (typeof VERDICT_CODES)[number];

/** The answer to "what became of this hash?". */
export interface Verdict {
  readonly code: VerdictCode;
  /** What happened, in whole sentences. */
  readonly message: string;
  /** The next step for the user, in whole sentences. */
  readonly nextStep: string;
  /** The operations that the hash names, begins or delivers. The verdict concerns the first. */
  readonly operationIds: readonly Hex[];
  /** When this state ends or is checked again; null if unknown. */
  readonly until: Date | null;
  /** The mined transaction that replaced this one. */
  readonly replacedBy: Hex | null;
  /** Set for an open operation while no relayer is running. */
  readonly stalledReason: 'RELAYER_AWAY' | null;
}

/** The part of a verdict that depends on the facts. */
export type Finding = Pick<Verdict, 'code' | 'message' | 'nextStep'> & { readonly until?: Date | null };

/** Names of the chains in sentences. */
export const CHAIN = { ethereum: 'Ethereum', partner: 'the partner chain' } as const;
/** The bridge contract of each side. */
export const CONTRACT = { ethereum: 'BridgeLock', partner: 'BridgeMint' } as const;
