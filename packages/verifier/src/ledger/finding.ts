import type { Hex } from 'viem';
import type { Side } from '../nodes/finality.js';

/** The meaning of each code. */
export const FINDINGS = {
  NUMBER_GAP: 'Operations are numbered without a gap, but a number is missing.',
  NUMBER_REPEATED: 'Two operations of a contract have the same number.',
  WRONG_ID: 'The id of an operation does not follow from its number.',
  WRONG_FEE: 'The fee of a withdrawal does not follow from the fee policy in force.',
  UNKNOWN_TOKEN: 'An operation is in a token that the settings do not list.',
  NO_ORIGIN: 'A contract paid a delivery that began nowhere.',
  OTHER_TERMS: 'A contract paid a delivery with terms other than those of its beginning.',
  PAID_TWICE: 'A contract paid an operation, an intent or a refund twice.',
  NOT_SWEPT: 'An intent was released, but no wallet added its whole transfer to the float.',
  WRONG_INTENT: 'An intent was released with terms that its sender did not sign, or with a fee of no policy.',
  TRANSFER_PAID_TWICE: 'One transfer to a relayer wallet paid two intents, or an intent and a refund.',
  WRONG_REFUND: 'A refund does not return the amount of a transfer to a relayer wallet.',
  STATE_DIFFERS: 'The state of a contract differs from its events.',
  BITMAP_DIFFERS: 'The numbers that a contract marks as delivered differ from its events.',
  SHORT: 'A contract holds less than it owes.',
  TRUST_BROKEN: 'A change of a key or a set does not follow from the change before it.',
  UNANNOUNCED: 'A key, a set or an office changed without its announcement or vote.',
  RESERVES_DIFFER: 'A statement of reserves differs from what the chains prove.',
} as const;

/** Why the chains contradict the bridge's rules. */
export type FindingCode = keyof typeof FINDINGS;

/** The codes of deliveries that take funds without an origin: a watchtower pauses for them. */
export const THEFTS: readonly FindingCode[] = [
  'NO_ORIGIN',
  'OTHER_TERMS',
  'PAID_TWICE',
  'NOT_SWEPT',
  'WRONG_INTENT',
  'TRANSFER_PAID_TWICE',
  'WRONG_REFUND',
];

/** A contradiction, with the place where it shows. */
export interface Finding {
  readonly code: FindingCode;
  readonly side: Side;
  /** Of the operation, intent or refund. */
  readonly id: Hex | null;
  /** Its symbol. */
  readonly asset: string | null;
  readonly transactionHash: Hex | null;
  readonly blockNumber: bigint | null;
  readonly why: string;
}
