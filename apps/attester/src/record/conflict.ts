import type { TransferKey } from '@causeway/verifier';
import type { Hex } from 'viem';
import { toTransferText, type SignedEntry } from './entry.js';

/** All given signatures. */
interface Signatures {
  signedFor(transfer: TransferKey): readonly SignedEntry[];
  signedAs(id: Hex): readonly SignedEntry[];
}

/** A payment to sign. */
export interface NextPayment {
  readonly kind: SignedEntry['kind'];
  readonly id: Hex;
  readonly transfer: TransferKey;
  readonly terms: Hex;
  /** For a refund: the failed operation that it replaces. */
  readonly instead?: Hex;
}

/**
 * Finds an earlier signature that conflicts with a payment; null for none. A transfer only ever pays one operation or
 * one refund. An operation can get other terms only after every signature with the earlier terms has expired.
 *
 * @param finalSeconds time of the paying chain's final block at which the payment was judged undelivered.
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
