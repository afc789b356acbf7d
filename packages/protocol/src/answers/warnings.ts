/**
 * Why a permitted transfer may not do what its user wants.
 *
 * - `RECIPIENT_HAS_NO_CODE`: the recipient is a contract on the origin chain but has no code on the destination.
 * - `RECIPIENT_OF_BRIDGE`: the recipient belongs to the bridge. The contracts refuse such a transfer.
 * - `RECIPIENT_CANNOT_MOVE`: funds can never leave the recipient: the zero address, a precompile, the burn address.
 * - `SENDER_CANNOT_PAY`: the balance of the sender on the origin chain is below the amount.
 * - `NOT_CHECKED`: the nodes are unavailable or disagree, so a warning about this field may be missing.
 */
export const WARNING_CODES = [
  'RECIPIENT_HAS_NO_CODE',
  'RECIPIENT_OF_BRIDGE',
  'RECIPIENT_CANNOT_MOVE',
  'SENDER_CANNOT_PAY',
  'NOT_CHECKED',
] as const;
/** One of the codes. */
export type WarningCode = (typeof WARNING_CODES)[number];

/** A warning that a wallet shows to its user before signing. */
export interface Warning {
  /** New codes may be added: show the message of an unknown code. */
  readonly code: WarningCode;
  /** One sentence for the user. */
  readonly message: string;
  /** The request field that the warning concerns. */
  readonly field: string;
}
