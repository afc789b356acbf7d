import { lower } from '@causeway/chain';
import {
  computeRefundId,
  intentDomain,
  releasedIntentDigest,
  getToken,
  type AddressBook,
  type ReleasedIntent,
} from '@causeway/protocol';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import type { UnboundPayment, UnknownRelease } from '@causeway/store';
import { decodeFunctionData, isAddressEqual, type Address, type Hex } from 'viem';

export interface CallData {
  readonly to: Address | null;
  readonly input: Hex;
}

/** An intent as its release shows it, or why the release belongs to no intent: a sentence for operators. */
export type ReleaseFinding =
  | {
      readonly kind: 'intent';
      readonly intent: ReleasedIntent;
      readonly signature: Hex;
      /** The transfer that paid the intent, by the id of its refund. */
      readonly transferId: Hex;
    }
  | { readonly kind: 'unknown'; readonly why: string };

/** Whether an account signed a digest. For a smart account, its contract decides. */
type IsSigned = (claim: { account: Address; digest: Hex; signature: Hex }) => Promise<boolean>;

/**
 * Reads the signed terms of an intent from the transaction that released it. They count only if they hash to the
 * release's id, match its event, and the sender has signed them: a thief with the relayer's key could release anything.
 * Pure except for `isSigned`.
 */
export async function readReleasedIntent(
  release: UnknownRelease,
  { to, input }: CallData,
  book: AddressBook,
  isSigned: IsSigned,
): Promise<ReleaseFinding> {
  if (to === null || !isAddressEqual(to, book.ethereum.bridgeLock))
    return unknown(`its transaction calls ${to ?? 'nothing'}, not BridgeLock, so its terms are not known`);
  const call = decodeCall(input);
  if (call?.functionName !== 'releaseIntent') return unknown('there is no withdrawal with its id');
  const [{ signature, ...terms }, transferId] = call.args;
  const intent = { ...terms, sender: lower(terms.sender), recipient: lower(terms.recipient) };
  const digest = releasedIntentDigest(intentDomain(book.partner), intent);
  if (digest !== release.operationId) return unknown(`its terms have the digest ${digest}`);
  const isAsPaid =
    intent.recipient === release.recipient &&
    intent.amount === release.outputAmount + release.fee &&
    isAddressEqual(release.token, getToken(book, 'ethereum', 'XCN'));
  if (!isAsPaid) return unknown('its event has other terms than its transaction');
  if (!(await isSigned({ account: intent.sender, digest, signature })))
    return unknown(`its terms are not signed by their sender ${intent.sender}`);
  return { kind: 'intent', intent, signature, transferId };
}

/** Finds the transfer that a release names. Pure. */
export function findPayment(transferId: Hex, payments: readonly UnboundPayment[]): UnboundPayment | null {
  return payments.find(({ key }) => computeRefundId(key) === transferId) ?? null;
}

function decodeCall(input: Hex) {
  try {
    return decodeFunctionData({ abi: bridgeLockAbi, data: input });
  } catch {
    return null;
  }
}

function unknown(why: string): ReleaseFinding {
  return { kind: 'unknown', why };
}
