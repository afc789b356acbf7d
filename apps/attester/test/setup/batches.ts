import type { AddressBook } from '@causeway/contracts/deploy';
import type { AttestBatch, AttestItem } from '@causeway/protocol/attest';
import { attestationDigest, computeRefundId, type AttestedCall, type Consent, type Side } from '@causeway/verifier';
import type { Hex } from 'viem';

// Batches for a simulated exchange.

/** The id that a refund of an intent's transfer would have. */
export function computeTransferId({ origin }: Extract<AttestItem, { kind: 'INTENT' }>, { partner }: AddressBook): Hex {
  if (origin === null) throw new Error('The intent has no transfer');
  const { transactionHash, callIndex } = origin;
  return computeRefundId({ chainId: partner.chainId, transactionHash, asset: 'XCN', callIndex });
}

/** The call that pays items of one kind. */
function toCall(items: readonly AttestItem[], book: AddressBook): AttestedCall {
  const [first] = items;
  if (first?.kind === 'REFUND') {
    const { id: refundId, wallet, token, recipient, amount } = first;
    return { kind: 'REFUND', refundId, wallet, token, recipient, amount };
  }
  if (first?.kind === 'INTENT') {
    const { id: intentId, fee, intent } = first;
    const transferId = computeTransferId(first, book);
    return { kind: 'RELEASE_INTENT', intentId, transferId, fee, signature: intent.signature };
  }
  return first?.kind === 'MINT'
    ? { kind: 'MINT_MANY', payments: items.flatMap((item) => (item.kind === 'MINT' ? [item.payment] : [])) }
    : { kind: 'RELEASE_MANY', payments: items.flatMap((item) => (item.kind === 'RELEASE' ? [item.payment] : [])) };
}

/** The chain that pays items. */
export function findSide([first]: readonly AttestItem[]): Side {
  return first?.kind === 'MINT' || first?.kind === 'REFUND' ? 'partner' : 'ethereum';
}

/** The digest of the call that pays items. */
function computeDigest(items: readonly AttestItem[], consent: Consent, book: AddressBook): Hex {
  const { ethereum, partner } = book;
  const domain =
    findSide(items) === 'partner'
      ? { chainId: partner.chainId, contract: partner.bridgeMint }
      : { chainId: ethereum.chainId, contract: ethereum.bridgeLock };
  return attestationDigest(toCall(items, book), consent, domain);
}

/** A hash of the terms of one item. */
export function computeTerms(item: AttestItem, book: AddressBook): Hex {
  return computeDigest([item], { setNumber: 0n, validUntil: 0n }, book);
}

/** The batch of items, with fields overridden. */
export function toBatch(
  items: readonly AttestItem[],
  consent: Consent,
  book: AddressBook,
  over: Partial<AttestBatch> = {},
): AttestBatch {
  const digest = computeDigest(items, consent, book);
  return { digest, call: toCall(items, book).kind, ids: items.map(({ id }) => id), ...consent, ...over };
}
