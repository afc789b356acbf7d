import type { AttestItem } from '@causeway/protocol/attest';
import {
  attestationDigest,
  judgeDelivery,
  judgeRefund,
  type AttestedCall,
  type Side,
  type Verdict,
  type Verifier,
  type VerifierSettings,
} from '@causeway/verifier';
import type { Address, Hex } from 'viem';
import type { SignedEntry } from '../record/entry.js';

/** A SIGN verdict. */
export type SignVerdict = Extract<Verdict, { kind: 'SIGN' }>;

/** Judges an item from the chains alone. */
export async function judgeItem(item: AttestItem, verifier: Verifier): Promise<Verdict> {
  if (item.kind === 'REFUND') return judgeRefund(item, verifier);
  if (item.kind !== 'INTENT') return judgeDelivery(item, verifier);
  const { origin } = item;
  if (origin !== null) return judgeDelivery({ ...item, origin }, verifier);
  // The relayer shows the intent again once it knows the transfer.
  return { kind: 'NOT_YET', until: { time: verifier.now() + 60 }, why: 'The transfer of the intent is not known.' };
}

/** The chain whose contract executes a call. */
export function getSide(kind: AttestedCall['kind']): Side {
  return kind === 'MINT_MANY' || kind === 'REFUND' ? 'partner' : 'ethereum';
}

/** The fields of an entry that an item and its verdict determine. */
export type Payment = Pick<SignedEntry, 'kind' | 'id' | 'transfer' | 'terms' | 'side' | 'asset' | 'amount'> & {
  readonly instead?: Hex;
};

/** The payment that a verdict allows. */
export function toPayment(item: AttestItem, { call, transfer }: SignVerdict, settings: VerifierSettings): Payment {
  const side = getSide(call.kind);
  const { token, amount } = readAmount(item, settings);
  const asset = settings.assets.find(({ tokens }) => tokens[side] === token)?.symbol;
  if (asset === undefined) throw new Error(`The settings have no asset with the token ${token} on ${side}`);
  const terms = attestationDigest(call, { setNumber: 0n, validUntil: 0n }, settings[side]);
  const kind = item.kind === 'REFUND' ? 'REFUND' : 'DELIVERY';
  const instead = item.kind === 'REFUND' ? { instead: item.approval.operationId } : {};
  return { kind, id: item.id, transfer, terms, side, asset, amount, ...instead };
}

/** The token on the paying chain, and the total amount that leaves the contract. */
function readAmount(item: AttestItem, { assets }: VerifierSettings): { token: Address | undefined; amount: bigint } {
  switch (item.kind) {
    case 'MINT':
      return item.payment;
    case 'RELEASE':
      return { token: item.payment.token, amount: item.payment.amount + item.payment.fee };
    case 'INTENT':
      return { token: assets.find(({ symbol }) => symbol === 'XCN')?.tokens.ethereum, amount: item.intent.amount };
    case 'REFUND':
      return item;
  }
}

/**
 * Merges the calls of a batch's items into the batch's call; null when their kinds differ from it.
 *
 * @param calls in the order of the payments.
 */
export function mergeCalls(kind: AttestedCall['kind'], calls: readonly AttestedCall[]): AttestedCall | null {
  const [first] = calls;
  if (first === undefined || calls.some((call) => call.kind !== kind)) return null;
  if (kind === 'MINT_MANY')
    return { kind, payments: calls.flatMap((call) => (call.kind === 'MINT_MANY' ? call.payments : [])) };
  if (kind === 'RELEASE_MANY')
    return { kind, payments: calls.flatMap((call) => (call.kind === 'RELEASE_MANY' ? call.payments : [])) };
  return calls.length === 1 ? first : null;
}
