/**
 * Reasons not to begin a transfer.
 *
 * - `WRONG_NETWORK`: the wallet is on another chain.
 * - `AMOUNT_TOO_LOW`, `AMOUNT_TOO_HIGH`, `AMOUNT_HAS_DUST`: outside the bounds, or no multiple of the granularity.
 * - `BALANCE_TOO_LOW`, `GAS_TOO_LOW`: the sender lacks the amount, or the coin for the transaction.
 * - `GAS_TOO_HIGH`: the node of a key asks for more gas than the caller accepts.
 * - `FEE_TOO_HIGH`: the share of the fee is above the caller's maximum.
 * - `RECIPIENT_IS_ZERO`, `RECIPIENT_OF_BRIDGE`, `RECIPIENT_CANNOT_MOVE`: the funds would be lost there.
 * - `RECIPIENT_HAS_NO_CODE`: a contract on the origin chain, and no code there on the destination.
 * - `SENDER_CANNOT_SIGN`: the account is a contract that cannot do this flow.
 * - `API_ALONE`: only the API says whom an intent pays. Without an address book, this informs.
 * - `PAUSED`: no operation of this direction can begin.
 * - `LIMIT_REACHED`, `FUNDS_SHORT`, `DELIVERIES_PAUSED`, `CHAIN_HALTED`, `CHAIN_AWAY`, `RELAYER_AWAY`: it can begin,
 *   and would be delivered later.
 * - `NOT_CHECKED`: something could not be read.
 */
export const FINDING_CODES = [
  'WRONG_NETWORK',
  'AMOUNT_TOO_LOW',
  'AMOUNT_TOO_HIGH',
  'AMOUNT_HAS_DUST',
  'BALANCE_TOO_LOW',
  'GAS_TOO_LOW',
  'GAS_TOO_HIGH',
  'FEE_TOO_HIGH',
  'RECIPIENT_IS_ZERO',
  'RECIPIENT_OF_BRIDGE',
  'RECIPIENT_CANNOT_MOVE',
  'RECIPIENT_HAS_NO_CODE',
  'SENDER_CANNOT_SIGN',
  'API_ALONE',
  'PAUSED',
  'LIMIT_REACHED',
  'FUNDS_SHORT',
  'DELIVERIES_PAUSED',
  'CHAIN_HALTED',
  'CHAIN_AWAY',
  'RELAYER_AWAY',
  'NOT_CHECKED',
] as const;
/** One of the codes. */
export type FindingCode = (typeof FINDING_CODES)[number];

/** Something that a check found. */
export interface Finding {
  readonly code: FindingCode;
  /** The argument or option that it is about, such as amount, recipient, sender, chainId or direction. */
  readonly field: string;
  /** A `blocking` one ends the transfer, an `acceptable` one unless the caller accepts its code; a `note` informs. */
  readonly severity: 'blocking' | 'acceptable' | 'note';
  /** Whether time may remove it. */
  readonly passes: boolean;
  /** When it will have passed, if that is known; ISO 8601. */
  readonly until: string | null;
  readonly message: string;
  readonly nextStep: string;
}
