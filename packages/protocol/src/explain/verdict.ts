import type { Hex } from 'viem';

/**
 * The verdicts about a hash: first about a transaction that begins nothing, then about an operation.
 *
 * - `NOT_FOUND`: on neither chain, and not the id of an operation.
 * - `NOT_MINED`: a node has the transaction, and no block has it yet.
 * - `REPLACED`: another transaction of the relayer wallet used its nonce.
 * - `REVERTED`: mined and failed; it moved nothing. `BELOW_MINIMUM`: for that reason.
 * - `OTHER_CONTRACT`: it went to another contract or account. `NO_OPERATION`: to the bridge, and began nothing.
 * - `TRANSFER_WITHOUT_INTENT`: it paid the relayer wallet and no intent.
 * - `AWAITING_PAYMENT`, `EXPIRED`: an intent without its transfer, in its window and after it.
 * - `CONFIRMING`, `HELD`, `AWAITING_DELIVERY`, `DELIVERING`: under way.
 * - `OVER_LIMIT`, `DELAYED`: it waits longer than usual, and is tried again.
 * - `COMPLETED`, `CREDITED`: paid to the recipient, or credited, since the recipient did not take it.
 * - `FAILED`, `REFUNDED`: it will never be delivered; the refund of it was paid.
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
  /** The event, in whole sentences. */
  readonly message: string;
  /** The next step of the person who asks, in whole sentences. */
  readonly nextStep: string;
  /** The operations that the hash names, begins or delivers. The verdict is about the first one. */
  readonly operationIds: readonly Hex[];
  /** When the present state ends or is looked at again, if that is known. */
  readonly until: Date | null;
  /** Of a transaction that was replaced. */
  readonly replacedBy: Hex | null;
  /** Of an open operation while no relayer works. */
  readonly stalledReason: 'RELAYER_AWAY' | null;
}

/** The part of a verdict that depends on the facts. */
export type Finding = Pick<Verdict, 'code' | 'message' | 'nextStep'> & { readonly until?: Date | null };

/** How the chains and their bridge contracts are named in sentences. */
export const CHAIN = { ethereum: 'Ethereum', partner: 'the partner chain' } as const;
/** The bridge contract of each side. */
export const CONTRACT = { ethereum: 'BridgeLock', partner: 'BridgeMint' } as const;
