/**
 * Why a transfer that is allowed may not be what its user wants.
 *
 * - `RECIPIENT_HAS_NO_CODE`: a contract on the origin chain, and an address without code on the destination.
 * - `RECIPIENT_OF_BRIDGE`: an address of the bridge. The calls of such a transfer are refused.
 * - `RECIPIENT_CANNOT_MOVE`: an address from which nothing can be moved: zero, a precompile, the burn address.
 * - `SENDER_CANNOT_PAY`: the sender has less than the amount on the origin chain.
 * - `NOT_CHECKED`: the nodes do not answer or do not agree, so a warning about this field may be missing.
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

/** Something that a wallet shows to its user before the transfer is signed. */
export interface Warning {
  /** New codes may follow: show the message of one that you do not know. */
  readonly code: WarningCode;
  /** One sentence for the user. */
  readonly message: string;
  /** The field of the request that the warning is about. */
  readonly field: string;
}
