/**
 * Reasons not to begin a transfer.
 *
 * - `WRONG_NETWORK`: the wallet is on another chain.
 * - `AMOUNT_TOO_LOW`, `AMOUNT_TOO_HIGH`, `AMOUNT_HAS_DUST`: outside the limits, or not a multiple of the granularity.
 * - `BALANCE_TOO_LOW`, `GAS_TOO_LOW`: the sender lacks the amount, or the coin for gas.
 * - `GAS_TOO_HIGH`: the gas fee proposed by the node exceeds the caller's maximum.
 * - `FEE_TOO_HIGH`: the fee exceeds the caller's maximum.
 * - `RECIPIENT_IS_ZERO`, `RECIPIENT_OF_BRIDGE`, `RECIPIENT_CANNOT_MOVE`: the funds would be lost there.
 * - `RECIPIENT_HAS_NO_CODE`: the recipient is a contract on the origin chain but has no code on the destination.
 * - `SENDER_CANNOT_SIGN`: the account is a contract that cannot make this transfer.
 * - `API_ALONE`: only the API says whom an intent pays. A note if there is no address book, otherwise blocking.
 * - `PAUSED`: no operation of this direction can begin.
 * - `LIMIT_REACHED`, `FUNDS_SHORT`, `DELIVERIES_PAUSED`, `CHAIN_HALTED`, `CHAIN_AWAY`, `RELAYER_AWAY`: the transfer can
 *   begin but would be delivered later.
 * - `NOT_CHECKED`: a value could not be read.
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

/** A finding of a check. */
export interface Finding {
  readonly code: FindingCode;
  /** The argument or option concerned, such as amount, recipient, sender, chainId or direction. */
  readonly field: string;
  /** `blocking` stops the transfer; `acceptable` stops it unless the caller accepts the code; `note` only informs. */
  readonly severity: 'blocking' | 'acceptable' | 'note';
  /** Whether it can disappear over time. */
  readonly passes: boolean;
  /** When it will disappear, ISO 8601; null if unknown. */
  readonly until: string | null;
  readonly message: string;
  readonly nextStep: string;
  /** An amount that resolves it, as a plain decimal. */
  readonly remedyAmount?: string;
}
