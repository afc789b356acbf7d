import { getAction, type RequestTerms } from './actions/table.js';
import type { ActionWords, ChainIds } from './actions/words.js';
import type { RequestSnapshot } from './request-snapshot.js';

/** A request in words. A wallet shows them in this order before the binding fields. */
export interface RequestWords extends ActionWords {
  /** Last minute for approvals, in UTC. */
  readonly expires: string;
  readonly reason: string;
}

/** The facts from which the words of a request are derived. */
export interface WordedRequest {
  readonly terms: RequestTerms;
  readonly decidedOn: RequestSnapshot;
  readonly reason: string;
  /** Unix seconds. */
  readonly validUntil: number;
}

/**
 * Describes a request in words. Pure: the signed message contains these words, and each program that shows or verifies
 * it derives them again. `none` is a value that does not apply; `unknown` a value that the state lacks.
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
