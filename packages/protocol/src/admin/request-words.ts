import { getAction, type RequestTerms } from './actions/table.js';
import type { ActionWords, ChainIds } from './actions/words.js';
import type { RequestSnapshot } from './request-snapshot.js';

/** A request, for people. A wallet shows these words, in this order, before the fields that bind. */
export interface RequestWords extends ActionWords {
  /** The last minute of the approvals, in UTC. */
  readonly expires: string;
  readonly reason: string;
}

/** The facts that the words of a request follow from. */
export interface WordedRequest {
  readonly terms: RequestTerms;
  readonly decidedOn: RequestSnapshot;
  readonly reason: string;
  /** Unix seconds. */
  readonly validUntil: number;
}

/**
 * Says a request in words. Pure: the signed message has these words, and everybody who shows or verifies it derives
 * them again. A value that does not apply is `none`; one that the state does not have is `unknown`.
 */
export function requestWords(
  { terms, decidedOn, reason, validUntil }: WordedRequest,
  chainIds: ChainIds,
): RequestWords {
  const { action, amount, recipient, chain } = getAction(terms).words(terms, decidedOn, chainIds);
  return { action, amount, recipient, chain, expires: formatMinute(validUntil), reason };
}

/** `2026-11-25 21:05 UTC` */
function formatMinute(seconds: number): string {
  return `${new Date(1_000 * seconds).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
