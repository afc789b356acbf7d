import { describeError } from '../configuration/configuration-error.js';

const LONGEST = 300;

/** Describes a thrown value in one line that a report may show. */
export function describeProblem(problem: unknown): string {
  return toLine(describe(problem));
}

function describe(problem: unknown): string {
  if (problem instanceof AggregateError) return problem.errors.map(describe).join(', ');
  // viem's message has the whole request, and the address of the node.
  const { shortMessage, details } = Object(problem) as { readonly shortMessage?: string; readonly details?: string };
  return shortMessage === undefined ? describeError(problem) : `${shortMessage} ${details ?? ''}`;
}

/** Makes one line for a terminal of a text that a server may have chosen, and whose addresses may hold keys. */
export function toLine(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  const safe = line.replaceAll(/\b(https?|wss?|postgres(?:ql)?):\/\/\S+/g, '$1://…');
  return safe.length > LONGEST ? `${safe.slice(0, LONGEST)}...` : safe;
}
