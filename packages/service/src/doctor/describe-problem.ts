import { describeError } from '../configuration/configuration-error.js';

const LONGEST = 300;

/** Describes a thrown value in one line without secrets. */
export function describeProblem(problem: unknown): string {
  return toLine(describe(problem));
}

function describe(problem: unknown): string {
  if (problem instanceof AggregateError) return problem.errors.map(describe).join(', ');
  // viem's full message contains the request and the node's URL.
  const { shortMessage, details } = Object(problem) as { readonly shortMessage?: string; readonly details?: string };
  return shortMessage === undefined ? describeError(problem) : `${shortMessage} ${details ?? ''}`;
}

/** Makes untrusted text safe for a terminal: one line without control characters or URLs, which may hold keys. */
export function toLine(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  const safe = line.replaceAll(/\b(https?|wss?|postgres(?:ql)?):\/\/\S+/g, '$1://…');
  return safe.length > LONGEST ? `${safe.slice(0, LONGEST)}...` : safe;
}
