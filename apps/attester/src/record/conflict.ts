import type { TransferKey } from '@causeway/verifier';
import type { Hex } from 'viem';
import { toTransferText, type SignedEntry } from './entry.js';

/** The signatures that were given. */
interface Signatures {
  signedFor(transfer: TransferKey): readonly SignedEntry[];
  signedAs(id: Hex): readonly SignedEntry[];
}

/** A payment that is about to be signed. */
export interface NextPayment {
  readonly kind: SignedEntry['kind'];
  readonly id: Hex;
  readonly transfer: TransferKey;
  readonly terms: Hex;
  /** Of a refund: the operation in whose place it is paid. */
  readonly instead?: Hex;
}

/**
 * Finds the earlier signature that forbids a payment; null when none does. A transfer pays one operation or one refund,
 * ever. An operation gets other terms only when every signature for it with these has expired.
 *
 * @param finalSeconds time of the final block of the chain that pays, at which the payment was judged undelivered.
 */
export function findConflict(record: Signatures, next: NextPayment, finalSeconds: bigint): SignedEntry | null {
  const { kind, id, transfer, terms, instead } = next;
  const forTransfer = record.signedFor(transfer).find((entry) => entry.kind !== kind || entry.id !== id);
  if (forTransfer !== undefined) return forTransfer;
  const own = record.signedAs(id);
  const elsewhere = own.find((entry) => toTransferText(entry.transfer) !== toTransferText(transfer));
  if (elsewhere !== undefined) return elsewhere;
  if (instead !== undefined && instead !== id) {
    const [replaced] = record.signedAs(instead);
    if (replaced !== undefined) return replaced;
  }
  return own.find((entry) => entry.terms !== terms && entry.validUntil >= finalSeconds) ?? null;
}
